interface Answer {
  degrees: number;
  kind: string;
}
const degrees: number = 21;
export default { degrees, kind: 'C' } as Answer;
