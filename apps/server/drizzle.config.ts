export default {
  dialect: 'postgresql',
  schema: './src/schema/**/*.ts',
  out: './src/schema/migrations',
  casing: 'snake_case',
}
