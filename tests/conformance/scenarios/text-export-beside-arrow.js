const helper = () => 3;
export default async function main() {
  return helper() + later();
}
const later = () => 4;
