import { ads } from '@oms/contract/advertise/ad.ts'
import { files } from '@oms/contract/system/file.ts'
import { Form } from 'antd'
import { expect, test } from 'vitest'
import { useSaveForm } from '#kit/form/save/use-save-form.ts'
import { FileUpload } from '#kit/upload/file-upload.tsx'
import { ImageUpload } from '#kit/upload/image-upload.tsx'
import { AdAddForm } from '#modules/advertise/ads/ad-form.tsx'
import { held, ok, refusal } from '../browser-harness.tsx'
import { useContractPage } from '../contract-page.tsx'
import { buildSample } from '#test/form-cases/contract-server.ts'
import { chooseFile, readFieldErrors, pressButton, waitUntil } from '#test/form-cases/page-driver.ts'

const start = useContractPage()

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
  'a form cannot be saved while %s are being uploaded, and can be saved afterwards',
  async (_, upload, label, ending, message) => {
    const server = start(<SavedForm of={upload} />)
    const stored = held()
    server.on(files.upload, stored.respond)
    await waitUntil(() => chooseFile(label, new File(['x'], `a${ending}`)))
    await waitUntil(() => expect(server.inputsOf(files.upload)).toHaveLength(1))
    await waitUntil(() => pressButton('保存'))
    await waitUntil(() => expect(readFieldErrors()).toEqual([message]))
    expect(server.inputsOf(ads.create)).toHaveLength(0)
    stored.answer(ok({ ...(buildSample(files.upload.result) as object), url: '/api/v1/file/a' }))
    await waitUntil(() => expect(readFieldErrors()).toEqual([]))
    pressButton('保存')
    await waitUntil(() => expect(server.inputsOf(ads.create)).toMatchObject([{ cover: '/api/v1/file/a' }]))
  },
)

test('an ad cannot be saved while its creative is being uploaded', async () => {
  const server = start(<AdAddForm onClose={() => {}} />)
  const begun = held()
  server.on(files.begin, begun.respond)
  await waitUntil(() => chooseFile('选择素材', new File(['x'], 'a.png')))
  await waitUntil(() => expect(server.inputsOf(files.begin)).toHaveLength(1))
  await waitUntil(() => pressButton('保存'))
  await waitUntil(() => expect(readFieldErrors()).toContain('素材还在上传，请等待上传完成'))
  expect(server.inputsOf(ads.create)).toHaveLength(0)
  begun.answer(refusal(400, '失败'))
  await waitUntil(() => expect(readFieldErrors()).not.toContain('素材还在上传，请等待上传完成'))
})
