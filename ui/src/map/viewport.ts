// Which part of the map is on screen, and where its points are there.

/** Where a pixel is, from the top left of the chart. */
export type Pixel = { x: number; y: number };

export type Size = { width: number; height: number };

/** The point of the map in the middle of the chart, and pixels for each unit of the map. */
export type Viewport = { x: number; y: number; scale: number };

/** What the user chose to see: a part, the whole map, or still what is shown first. */
export type Shown = Viewport | "all" | "first";

/** The corners of a part of the map. */
export type Box = { minX: number; minY: number; maxX: number; maxY: number };

/** Pixels that stay free around the whole map. */
const MARGIN = 24;
/** How much larger than the whole map it can be drawn. */
const ZOOM_MAX = 2_000;
/** A map without any extent, such as that of one chunk, has as many units across as this. */
const EXTENT_MIN = 1e-6;

/** Shows the whole of a box. */
export function fit(box: Box, { width, height }: Size): Viewport {
  const [across, up] = [box.maxX - box.minX, box.maxY - box.minY];
  const room = { width: Math.max(1, width - 2 * MARGIN), height: Math.max(1, height - 2 * MARGIN) };
  const scale = Math.min(room.width / Math.max(across, EXTENT_MIN), room.height / Math.max(up, EXTENT_MIN));
  return { x: (box.minX + box.maxX) / 2, y: (box.minY + box.maxY) / 2, scale };
}

/** Whether a place of the map is in the picture. */
export function isInPicture(view: Viewport, { width, height }: Size, x: number, y: number): boolean {
  return Math.abs(x - view.x) * view.scale <= width / 2 && Math.abs(y - view.y) * view.scale <= height / 2;
}

/** Returns where a point of the map is on screen. Up on the map is up on the screen. */
export function toPixel(view: Viewport, size: Size, x: number, y: number): Pixel {
  return { x: size.width / 2 + (x - view.x) * view.scale, y: size.height / 2 - (y - view.y) * view.scale };
}

/** Returns the point of the map at a pixel. */
export function toMap(view: Viewport, size: Size, { x, y }: Pixel): Pixel {
  return { x: view.x + (x - size.width / 2) / view.scale, y: view.y - (y - size.height / 2) / view.scale };
}

/** Zooms by a factor, so that what is at the pixel stays there; from the whole map to a limit. */
export function zoomAt(view: Viewport, whole: Viewport, size: Size, at: Pixel, factor: number): Viewport {
  const scale = Math.min(Math.max(view.scale * factor, whole.scale), whole.scale * ZOOM_MAX);
  const fixed = toMap(view, size, at);
  return held(
    {
      x: fixed.x - (at.x - size.width / 2) / scale,
      y: fixed.y + (at.y - size.height / 2) / scale,
      scale,
    },
    whole,
    size,
  );
}

/** Moves what is shown by pixels. */
export function panBy(view: Viewport, whole: Viewport, size: Size, by: Pixel): Viewport {
  return held({ ...view, x: view.x - by.x / view.scale, y: view.y + by.y / view.scale }, whole, size);
}

/** Keeps the middle of the chart on the map. */
function held(view: Viewport, whole: Viewport, size: Size): Viewport {
  const [across, up] = [size.width / 2 / whole.scale, size.height / 2 / whole.scale];
  return {
    ...view,
    x: Math.min(Math.max(view.x, whole.x - across), whole.x + across),
    y: Math.min(Math.max(view.y, whole.y - up), whole.y + up),
  };
}
