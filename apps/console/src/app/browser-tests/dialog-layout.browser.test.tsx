import { Input, Modal } from 'antd'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { about } from '@oms/contract/core/fields.ts'
import { AdDetail } from '@oms/contract/advertise/ad.ts'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { openTab, startServer } from './browser-harness.tsx'
import '#kit/kit.css'

const HEIGHT = 720
let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const rectOf = (selector: string) => document.querySelector(selector)!.getBoundingClientRect()

const LongDialog = () => (
  <Modal open title="长表单" okText="保存" cancelText="取消">
    <div style={{ height: 2 * HEIGHT }} />
    <Input.TextArea showCount maxLength={200} rows={2} />
  </Modal>
)

test('a long dialog scrolls inside and keeps its buttons on the screen', async () => {
  await page.viewport(1280, HEIGHT)
  startServer({})
  tab = openTab(<LongDialog />)
  const save = page.getByRole('button', { name: /保\s?存/ })
  await expect.element(save).toBeVisible()
  expect(save.element().getBoundingClientRect().bottom).toBeLessThan(HEIGHT)
  expect(rectOf('.ant-modal-body').bottom).toBeLessThan(save.element().getBoundingClientRect().top)
})

test('the number of characters lies inside its text area', async () => {
  startServer({})
  tab = openTab(<LongDialog />)
  await expect.element(page.getByText('0 / 200')).toBeInTheDocument()
  expect(rectOf('.ant-input-data-count').bottom).toBeLessThanOrEqual(rectOf('.ant-input-textarea-show-count').bottom)
})

test('a value without content is shown as a dash', async () => {
  startServer({})
  const { item } = createDescriptions(AdDetail)
  const row = { tags: [] as string[] } as never
  tab = openTab(<Descriptions row={row} items={[item('tags', (tags) => tags.map((tag) => <b key={tag}>{tag}</b>))]} />)
  await expect.element(page.getByText(about(AdDetail, 'tags').title)).toBeVisible()
  expect(getComputedStyle(document.querySelector('dd')!, '::before').content).toBe('"-"')
})
