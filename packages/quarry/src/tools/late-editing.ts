import type { Editing } from "./edit-call.js";
import type { Rooms } from "./rooms.js";

/** What edits files, for one tool. It is loaded at the first edit: most commands and many servers make none. */
export function lateEditing(rooms: Rooms): () => Promise<Editing> {
  let editing: Promise<Editing> | null = null;
  return () => (editing ??= import("./edit-call.js").then((late) => new late.Editing(rooms)));
}
