export default async function (): Promise<number> {
  return 42;
}
