import { Form, Input } from 'antd'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { ok, openTab, startServer } from '#test/browser-harness.tsx'
import { EditedBannedWords } from '#modules/advertise/ads/ad-cells.tsx'
import { TextAdFields } from '#modules/advertise/ads/ad-form.tsx'

const DICT = 'GET /api/v1/sys/dict/data/type/ad_banned_words'
let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

function TextForm() {
  const [form] = Form.useForm()
  return (
    <Form form={form}>
      <TextAdFields />
    </Form>
  )
}

test('AD-02 the form of a scrolling text has a speed field, and the form of a still text has none', async () => {
  tab = openTab(<TextForm />)
  await expect.element(page.getByText('静止')).toBeVisible()
  // A condition on the number 0 would be rendered as text beside the switch.
  expect([...document.querySelector('.kit-pair')!.childNodes].filter((node) => node.nodeType === 3)).toEqual([])
  await page.getByRole('switch').click()
  await expect.element(page.getByLabelText('滚动速度')).toBeVisible()
})

function WordsForm({ adType }: { adType: number }) {
  const [form] = Form.useForm()
  return (
    <Form form={form} initialValues={{ adType, adName: '', text: { content: '' } }}>
      <Form.Item name="adType" hidden>
        <Input />
      </Form.Item>
      <Form.Item name="adName" label="名称">
        <Input />
      </Form.Item>
      <Form.Item name={['text', 'content']} label="内容">
        <Input />
      </Form.Item>
      <EditedBannedWords />
    </Form>
  )
}

test.each([
  [4, '疑似绝对化用语：国家级、最佳'],
  [1, '疑似绝对化用语：最佳'],
])('AD-02 the form names banned words while an ad of type %i is edited', async (adType, expected) => {
  const entry = (dictLabel: string, status = 1) => ({
    dictLabel,
    dictValue: dictLabel,
    listClass: '',
    cssClass: '',
    status,
  })
  startServer({ [DICT]: () => ok([entry('国家级'), entry('最佳'), entry('第一', 0)]) })
  tab = openTab(<WordsForm adType={adType} />)
  await page.getByLabelText('名称').fill('全城最佳第一')
  await page.getByLabelText('内容').fill('国家级工艺')
  await expect.element(page.getByRole('alert')).toHaveTextContent(expected)
  await page.getByLabelText('名称').fill('全城好店')
  await page.getByLabelText('内容').fill('好工艺')
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
})
