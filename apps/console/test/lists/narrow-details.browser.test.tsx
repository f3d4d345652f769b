import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import * as z from 'zod'
import { createDescriptions, Descriptions } from '#kit/record/descriptions.tsx'
import { openTab } from '../browser-harness.tsx'

const Row = z.object({
  orderNo: z.string().meta({ title: '订单号' }),
  content: z.string().meta({ title: '套餐内容' }),
  logo: z.string().meta({ title: '标志' }),
})
const { item, wide } = createDescriptions(Row)
const ITEMS = [item('orderNo'), wide('content'), wide('logo', (logo) => <b>{logo}</b>)]

let tab: ReturnType<typeof openTab> | undefined
beforeAll(() => page.viewport(390, 844))
afterEach(() => tab?.close())
afterAll(() => page.viewport(1440, 900))

const leftOf = (text: string) =>
  page.getByText(text, { exact: true }).element().closest('dd')!.getBoundingClientRect().left

test('on phones a full-width text is aligned with the other values, and other full-width content is below its title', async () => {
  tab = openTab(<Descriptions row={{ orderNo: 'O1', content: '30 天、2,000轮', logo: 'L' }} items={ITEMS} />)
  await expect.element(page.getByText('30 天、2,000轮')).toBeVisible()
  expect(leftOf('30 天、2,000轮')).toBe(leftOf('O1'))
  expect(leftOf('L')).toBeLessThan(leftOf('O1'))
})
