const one: number = 1;
export default function (): number {
  return one;
}
