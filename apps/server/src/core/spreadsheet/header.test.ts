import { expect, test } from 'vitest'
import * as z from 'zod'
import { matchHeaderFields } from './header.ts'

const schema = z.object({
  sn: z.string().meta({ title: '序列号' }),
  devName: z.string().meta({ title: '设备名称' }),
  modelCode: z.string().meta({ title: '型号编码' }),
  mac: z.string().meta({ title: 'MAC' }),
})
const known = { schema, columns: ['sn', 'devName', 'modelCode', 'mac'] as const, required: ['sn'] }

/** Returns the message of a refused header. */
function messageOf(header: readonly string[]) {
  try {
    matchHeaderFields(known, header)
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}

test('each column title is matched to its field, also with a leading star; an untitled column has no field', () => {
  expect(matchHeaderFields(known, ['*序列号', '', 'MAC'])).toEqual(['sn', undefined, 'mac'])
})

test('the error message of an unknown column contains the first 40 characters of its title', () => {
  expect(messageOf(['序列号', '设备名称', '设备名'])).toBe('表格中有无法识别的列：「设备名」，请使用导入模板')
  expect(messageOf(['序列号', '设'.repeat(41)])).toContain(`「${'设'.repeat(40)}」`)
})

test('duplicate, missing and unknown columns are reported together', () => {
  expect(messageOf(['MAC', 'MAC', '颜色'])).toBe(
    '表格中有无法识别的列：「颜色」；表格中有重复的列：MAC；表格缺少列：序列号，请使用导入模板',
  )
})
