import { parseAst } from 'vite'
import { expect, test } from 'vitest'
import { checkRules } from './form-rules.ts'

const check = (code: string) => checkRules(parseAst(code, { lang: 'tsx' }) as never)
const problems = (code: string) => check(code).problems

test.each([
  '<Form.Item rules={[{ required: true, whitespace: true, message: "x" }, ...(a ? [strong] : [])]} />; const strong: SupportedFormRule = { validator }',
  '<Form.Item rules={[({ getFieldValue }) => ({ validator: async () => ({ pattern: 1 }) })]} />',
  '<Form.Item rules={[buildFieldRules(accountName)]} />',
  'const rule: SupportedFormRule = { validator }; const x = { rules: [{ validator }] }',
])('the build accepts form rules of supported kinds: %s', (code) => {
  expect(problems(code)).toEqual([])
  expect(check(code).checked).toBeGreaterThan(code.includes('buildFieldRules') ? -1 : 0)
})

test.each([
  ['pattern', '<Form.Item rules={[{ pattern: /^a/ }]} />'],
  ['type', '<Form.Item rules={RULES} />; const RULES = [{ type: "email" }]'],
  ['min', '<Form.Item rules={[...(a ? [{ min: 3 }] : [])]} />'],
  ['max', 'const shared: SupportedFormRule = { max: 3 }'],
  ['len', '<Form.Item rules={[() => { return { len: 3 } }]} />'],
  ['enum', 'export const buildFieldRules = (): SupportedFormRule => ({ enum: [] })'],
  ['pattern', 'const props = { rules: [{ pattern: /^a/ }] }'],
  ['a computed or spread property', '<Form.Item rules={[{ ...more }]} />'],
  ['elsewhere, which is declared in another place', 'import { elsewhere } from "x"; <Form.Item rules={[elsewhere]} />'],
])('the build refuses a form rule with %s', (what, code) => {
  expect(problems(code).join()).toContain(`form rule without support: ${what}`)
})
