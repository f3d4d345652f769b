import { Input, Modal, Tag } from 'antd'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { about } from '@oms/contract/core/fields.ts'
import { AdDetail } from '@oms/contract/advertise/ad.ts'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { TagList } from '#kit/record/tag-list.tsx'
import { openTab, startServer } from '../browser-harness.tsx'
import '#kit/kit.css'

const HEIGHT = 720
let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const rectOf = (selector: string) => document.querySelector(selector)!.getBoundingClientRect()

const LongDialog = ({ title = '长表单' }: { title?: string }) => (
  <Modal open title={title} okText="保存" cancelText="取消">
    <div style={{ height: 2 * HEIGHT }} />
    <Input.TextArea showCount maxLength={200} rows={2} />
  </Modal>
)

test('the content of a long dialog scrolls, and the buttons of the dialog stay visible', async () => {
  await page.viewport(1280, HEIGHT)
  startServer({})
  tab = openTab(<LongDialog />)
  const save = page.getByRole('button', { name: /保\s?存/ })
  await expect.element(save).toBeVisible()
  expect(save.element().getBoundingClientRect().bottom).toBeLessThan(HEIGHT)
  expect(rectOf('.ant-modal-body').bottom).toBeLessThan(save.element().getBoundingClientRect().top)
})

test('a long name without spaces in the title of a dialog does not push the buttons off a phone screen', async () => {
  await page.viewport(390, 844)
  startServer({})
  tab = openTab(<LongDialog title={`编辑设备「${'W'.repeat(200)}」`} />)
  const save = page.getByRole('button', { name: /保\s?存/ })
  await expect.element(save).toBeVisible()
  expect(save.element().getBoundingClientRect().bottom).toBeLessThan(844)
  expect(rectOf('.ant-modal-title').right).toBeLessThan(rectOf('.ant-modal-close').left)
  expect(rectOf('.ant-modal-body').height).toBeGreaterThan(300)
})

test('the character counter is inside the text area', async () => {
  startServer({})
  tab = openTab(<LongDialog />)
  await expect.element(page.getByText('0 / 200')).toBeInTheDocument()
  expect(rectOf('.ant-input-data-count').bottom).toBeLessThanOrEqual(rectOf('.ant-input-textarea-show-count').bottom)
})

test('a value without content is shown as a dash', async () => {
  startServer({})
  const { item } = createDescriptions(AdDetail)
  const row = { tags: [] as string[] } as never
  tab = openTab(
    <Descriptions
      row={row}
      items={[
        item('tags', (tags) => (
          <TagList>
            {tags.map((tag) => (
              <Tag key={tag}>{tag}</Tag>
            ))}
          </TagList>
        )),
      ]}
    />,
  )
  await page.getByRole('button', { name: '显示 1 个空字段' }).click()
  await expect.element(page.getByText(about(AdDetail, 'tags').title)).toBeVisible()
  expect(getComputedStyle(document.querySelector('dd')!, '::before').content).toBe('"-"')
})

test('the tags of a list have a gap, both side by side and below each other', async () => {
  startServer({})
  tab = openTab(
    <div style={{ width: 160 }}>
      <TagList>
        {['北京一号屏', '北京二号屏', '上海'].map((name) => (
          <Tag key={name}>{name}</Tag>
        ))}
      </TagList>
    </div>,
  )
  await expect.element(page.getByText('上海')).toBeVisible()
  const [first, second, third] = [...document.querySelectorAll('.ant-tag')].map((tag) => tag.getBoundingClientRect())
  const isApart = (a: DOMRect, b: DOMRect) => b.left - a.right >= 4 || b.top - a.bottom >= 4
  expect([isApart(first!, second!), isApart(second!, third!)]).toEqual([true, true])
})
