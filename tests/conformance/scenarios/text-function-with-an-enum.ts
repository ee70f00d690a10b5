async function main(): Promise<number> {
  enum Kind {
    One = 1,
  }
  throw new Error(`kind ${Kind.One}`);
}
