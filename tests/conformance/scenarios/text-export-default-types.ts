export interface Question {
  city: string;
}
export type Answer = { degrees: number };

type Many = Answer[];

export default async (): Promise<Many> => [{ degrees: 21 }];
