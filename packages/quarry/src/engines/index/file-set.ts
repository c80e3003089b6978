const WORD = 32;

/** A set of files of one index, by their numbers: a bit for each. */
export class FileSet {
  /** The files from 32 times its place on, lowest bit first. */
  readonly words: Int32Array;

  /** Files of the index. */
  readonly size: number;

  constructor(files: number) {
    this.size = files;
    this.words = new Int32Array(Math.ceil(files / WORD));
  }

  copy(): FileSet {
    const copy = new FileSet(this.size);
    copy.words.set(this.words);
    return copy;
  }

  has(file: number): boolean {
    return ((this.words[file >>> 5] as number) & (1 << (file & 31))) !== 0;
  }

  add(file: number): void {
    (this.words[file >>> 5] as number) |= 1 << (file & 31);
  }

  delete(file: number): void {
    (this.words[file >>> 5] as number) &= ~(1 << (file & 31));
  }

  clear(): void {
    this.words.fill(0);
  }
}
