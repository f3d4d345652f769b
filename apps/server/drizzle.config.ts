export default {
  dialect: 'postgresql',
  schema: './src/schema/index.ts',
  out: './src/schema/migrations',
  casing: 'snake_case',
}
