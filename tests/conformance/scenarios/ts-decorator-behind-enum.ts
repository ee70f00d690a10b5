enum Size {
  Small,
  Large,
}

function noted(method: unknown, context: unknown): void {}

class Report {
  @noted print(): void {}
}
return Size.Large;
