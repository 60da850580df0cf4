// The user of a test: types and clicks as in the window.
import userEvent, { PointerEventsCheckLevel, type UserEvent } from "@testing-library/user-event";

/**
 * A dialog or menu keeps the page from being clicked until a moment after it is closed. jsdom has no layout, so
 * nothing else is behind it, and a click of a test goes through at once.
 */
export const setupUser = (): UserEvent =>
  userEvent.setup({ pointerEventsCheck: PointerEventsCheckLevel.Never });
