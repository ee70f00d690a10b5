class Person {
  constructor(private first: string, public readonly last = 'Doe') {}
  get full(): string { return `${this.first} ${this.last}`; }
}
return new Person('Jane').full;
