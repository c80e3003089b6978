/** What others may ask of a watch of a tree; see `TreeWatch`. */
export interface Watch {
  readonly isReady: boolean;
  readonly listing: number;
  flush(answer?: object): Promise<boolean>;
}

/** The watches of this process, by host root. A module of its own, so that who asks for one does not load what makes them. */
export const watches = new Map<string, Watch>();
