import { ads } from '@oms/contract/advertise/ad.ts'
import { files } from '@oms/contract/file/file.ts'
import { Form } from 'antd'
import type { ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { useSaveForm } from '#kit/form/use-save-form.ts'
import { FileUpload } from '#kit/upload/file-upload.tsx'
import { ImageUpload } from '#kit/upload/image-upload.tsx'
import { AdAdd } from '#modules/advertise/ads/ad-form.tsx'
import { held, ok, openTab, refusal } from './browser-harness.tsx'
import { contractServer, sampleOf } from '#app/form-cases/contract-server.ts'
import { chooseFile, fieldErrors, press, until } from '#app/form-cases/page-driver.ts'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})
const start = (page: ReactNode) => {
  const server = contractServer((fetch) => vi.stubGlobal('fetch', fetch))
  tab = openTab(page)
  return server
}

/** A form whose only field is an upload. */
function SavedForm({ of: Upload }: { of: typeof FileUpload | typeof ImageUpload }) {
  const { form } = useSaveForm(ads.create, { input: (values) => values as never })
  return (
    <Form {...form}>
      <Form.Item name="cover" label="附件">
        <Upload />
      </Form.Item>
      <button type="submit">保存</button>
    </Form>
  )
}

test.each([
  ['documents', FileUpload, '选择文件', '.pdf', '文件还在上传，请等待上传完成'],
  ['pictures', ImageUpload, '选择图片', '.png', '图片还在上传，请等待上传完成'],
] as const)(
  'a form is not saved while %s upload, and is saved afterwards',
  async (_, upload, label, ending, message) => {
    const server = start(<SavedForm of={upload} />)
    const stored = held()
    server.on(files.upload, stored.respond)
    await until(() => chooseFile(label, new File(['x'], `a${ending}`)))
    await until(() => expect(server.inputsOf(files.upload)).toHaveLength(1))
    await until(() => press('保存'))
    await until(() => expect(fieldErrors()).toEqual([message]))
    expect(server.inputsOf(ads.create)).toHaveLength(0)
    stored.answer(ok({ ...(sampleOf(files.upload.result) as object), url: '/api/v1/file/a' }))
    await until(() => expect(fieldErrors()).toEqual([]))
    press('保存')
    await until(() => expect(server.inputsOf(ads.create)).toMatchObject([{ cover: '/api/v1/file/a' }]))
  },
)

test('an ad is not saved while its creative uploads', async () => {
  const server = start(<AdAdd onClose={() => {}} />)
  const begun = held()
  server.on(files.begin, begun.respond)
  await until(() => chooseFile('选择素材', new File(['x'], 'a.png')))
  await until(() => expect(server.inputsOf(files.begin)).toHaveLength(1))
  await until(() => press('保存'))
  await until(() => expect(fieldErrors()).toContain('素材还在上传，请等待上传完成'))
  expect(server.inputsOf(ads.create)).toHaveLength(0)
  begun.answer(refusal(400, '失败'))
  await until(() => expect(fieldErrors()).not.toContain('素材还在上传，请等待上传完成'))
})
