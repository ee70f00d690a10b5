const at = () => {
  throw new Error('here');
};
export default async () => at();
