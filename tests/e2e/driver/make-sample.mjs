/** Indexes the sample notes in the folder given, as `Scratch.useSampleLibrary` wants them. */
import { mkdir } from "node:fs/promises";

import { Scratch } from "./scratch.mjs";

const root = process.argv[2];
await mkdir(root, { recursive: true });
const sample = await Scratch.make({ root });
await sample.memlens("index", sample.notes);
