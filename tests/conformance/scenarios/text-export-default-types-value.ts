export type Answer = number;
export default 42 as Answer;
