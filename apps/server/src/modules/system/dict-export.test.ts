import { expect, test } from 'vitest'
import { DICT_DATA_URL, buildEntry, DICT_TYPE_URL, withDicts } from './dict-fixture.ts'

const { admin, newType } = withDicts()

test('an exported dictionary contains its entries, and formulas as text', async () => {
  const { dictType } = await newType()
  await admin.call('POST', DICT_DATA_URL, buildEntry(dictType, 'a', { listClass: 'danger', dictLabel: '=1+1' }))
  const reply = await admin.inject({ method: 'GET', url: `${DICT_DATA_URL}/export?format=csv&dictType=${dictType}` })
  expect(reply.body).toContain(`'=1+1`)
})

test('both exports are Excel workbooks', async () => {
  for (const url of [`${DICT_DATA_URL}/export`, `${DICT_TYPE_URL}/export?columns=dictType&columns=dictName`]) {
    const reply = await admin.inject({ method: 'GET', url })
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['content-type']).toContain('application/vnd.openxmlformats')
    expect(reply.rawPayload.length).toBeGreaterThan(50)
  }
})
