/** A complete result that can be fetched back. */
export interface ArtifactResource {
  readonly uri: string;
  /** The locator that read_file and grep open. */
  readonly name: string;
  readonly bytes: number;
}

/** The artifacts of one owner, as resources. Never another owner's. */
export interface ArtifactResources {
  /** Newest first. */
  list(): Promise<readonly ArtifactResource[]>;
  /**
   * @returns the text, or null where this owner has no such artifact.
   * @throws QuarryError INVALID_ARGUMENT where it is too large for one message.
   */
  read(uri: string): Promise<string | null>;
}

/** A larger artifact is not sent as one message; read_file shows it by lines. In bytes. */
export const MAX_RESOURCE_BYTES = 4 * 1024 * 1024;

const SCHEME = "quarry:///";

/** `@artifacts/0123.txt` as a resource URI. */
export function artifactUri(locator: string): string {
  return SCHEME + locator.split("/").map(encodeURIComponent).join("/");
}

/** The locator in a resource URI, or null where it is none of ours. */
export function artifactLocator(uri: string): string | null {
  if (!uri.startsWith(SCHEME)) return null;
  try {
    return uri.slice(SCHEME.length).split("/").map(decodeURIComponent).join("/");
  } catch {
    return null;
  }
}
