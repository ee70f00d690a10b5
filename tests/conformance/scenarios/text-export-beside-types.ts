export type Answer = { degrees: number };
enum Kind {
  One = 1,
}

const helper = (a: number): number => a + Kind.One;

export default async (): Promise<Answer> => ({ degrees: helper(20) });
