export default function (): number {
  enum Kind {
    One = 1,
  }
  return Kind.One;
}
