export interface Answer {
  degrees: number;
}
const answer: Answer = { degrees: 21 };
return answer;
