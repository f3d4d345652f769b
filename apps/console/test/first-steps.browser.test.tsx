import { home } from '@oms/contract/home/home.ts'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { FirstSteps } from '#modules/home/first-steps.tsx'
import { ok } from './browser-harness.tsx'
import { useContractPage } from './contract-page.tsx'

const start = useContractPage()
const step = (key: string, isDone: boolean) => ({ key, title: key, hint: `hint of ${key}`, url: '/', isDone })

test('the first steps show what is done, and disappear when the account hides them', async () => {
  const server = start(<FirstSteps />)
  server.on(home.todo, () => ok({ list: [], steps: [step('tenant', true), step('model', false)] }))
  await expect.element(page.getByText('1 / 2')).toBeVisible()
  await expect.element(page.getByRole('link', { name: 'model' })).toBeVisible()
  expect(page.getByRole('link', { name: 'tenant' }).elements()).toEqual([])
  await page.getByRole('button', { name: '不再显示' }).click()
  await expect.poll(() => page.getByRole('region', { name: '开始使用' }).elements()).toEqual([])
})
