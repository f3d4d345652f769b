import { expect, test } from 'vitest'
import { serialsInFile } from './serial-file.ts'

test('AGENT-13 returns the first cell of every line without the title line', () => {
  expect(serialsInFile('\uFEFF序列号,备注\r\nSN1,门口\r\n"SN2";x\r\n\r\nSN1\r\n')).toEqual(['SN1', 'SN2'])
  expect(serialsInFile('sn\tname\nA1\tx')).toEqual(['A1'])
})

test('AGENT-13 keeps the first line of a file without titles', () => {
  expect(serialsInFile('00:1a:2b:3c:4d:5e\n00:1a:2b:3c:4d:5f')).toEqual(['00:1a:2b:3c:4d:5e', '00:1a:2b:3c:4d:5f'])
  expect(serialsInFile('\n \n')).toEqual([])
})
