/** Was this file started by itself, rather than by `bench/run.ts`? */
export const isMain = (meta: ImportMeta) => process.argv[1] === meta.filename
