export type Answer = number;

export default async function main(): Promise<Answer> {
  throw new Error('here');
}
