import { expect, test } from 'vitest'
import { type ChunkLimit, findChunkProblems } from './chunk-limits.ts'

const LIMITS: readonly ChunkLimit[] = [{ page: /-list\.page\.tsx$/, never: ['form'] }]
const chunk = (name: string, imports: string[], moduleIds: string[]) => ({
  fileName: `${name}.js`,
  name,
  imports: imports.map((each) => `${each}.js`),
  moduleIds: moduleIds.map((each) => `/src/${each}`),
})
const IMPORTS: Record<string, readonly string[]> = {
  '/src/pickers/select.tsx': ['/src/form/labels.ts'],
  '/src/pages/ad-list.page.tsx': ['/src/pickers/select.tsx'],
}
const find = (all: ReturnType<typeof chunk>[]) => findChunkProblems(all, '/src', (id) => IMPORTS[id] ?? [], LIMITS)

test('a list that loads the forms through another chunk is reported with the import that causes it', () => {
  const all = [
    chunk('form', [], ['form/field.tsx', 'form/labels.ts']),
    chunk('picker', ['form'], ['pickers/select.tsx']),
    chunk('ad-list.page', ['picker'], ['pages/ad-list.page.tsx']),
  ]
  expect(find(all)).toEqual(['pages/ad-list.page.tsx loads the chunk form: pickers/select.tsx → form/labels.ts'])
})

test('a list without the forms and a form page with them are accepted', () => {
  const all = [
    chunk('form', [], ['form/field.tsx']),
    chunk('ad-list.page', [], ['pages/ad-list.page.tsx']),
    chunk('ad-add.page', ['form'], ['pages/ad-add.page.tsx']),
  ]
  expect(find(all)).toEqual([])
})
