import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'

const app = useApp()

test('the menu lint reports nothing for the shipped catalogue', async () => {
  const admin = await app.by({ superAdmin: true })
  const { data } = await admin.call('GET', '/api/v1/sys/menu/lint')
  expect(data.list).toEqual([])
})
