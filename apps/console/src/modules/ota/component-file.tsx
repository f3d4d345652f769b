import { about } from '@oms/contract/kernel/fields.ts'
import { OtaComponentInput } from '@oms/contract/ota.ts'
import { Form } from 'antd'
import { useCan } from '#kernel/session.tsx'
import { ruleOf } from '#kit/field.tsx'
import { ComponentUpload } from '#kit/upload/component-upload.tsx'
import { fileIdIn, type StoredFile } from '#kit/upload/stored-file.ts'
import { useFamily } from './family.ts'

/** A component as the form holds it; a saved one knows its file's name, a new one takes it from the upload. */
interface Held {
  name?: string
  fileName?: string
  url?: string
  size?: number
  md5?: string
  sha1?: string
  sha256?: string
}

/** The file of one component: what is there, and the upload that replaces it. */
export function ComponentFile({ index, place }: { index: number; place: string }) {
  const { title } = about(OtaComponentInput, 'url')
  return (
    <Form.Item name={[index, 'url']} label={title} {...ruleOf({ of: OtaComponentInput, name: 'url' })}>
      <FileControl index={index} place={place} />
    </Form.Item>
  )
}

function FileControl(props: { index: number; place: string; onChange?(url: string): void }) {
  const { index, place, onChange } = props
  const can = useCan()
  const { calls } = useFamily()
  const form = Form.useFormInstance()
  const path = ['components', index]
  const held = Form.useWatch(path, { form, preserve: true }) as Held | undefined
  const take = (file: StoredFile) => {
    const { name: fileName, url, size, md5, sha1, sha256 } = file
    const before = form.getFieldValue(path) as Held | undefined
    const name = before?.name || stemOf(fileName)
    form.setFieldValue(path, { ...before, name, fileName, url, size, md5, sha1, sha256 })
    onChange?.(url)
    // What was said of the empty fields before is no longer true.
    void form
      .validateFields([
        [...path, 'name'],
        [...path, 'url'],
      ])
      .catch(() => {})
  }
  if (!can(calls.upload.access)) return <>{held?.fileName ?? '您没有上传组件的权限'}</>
  return <ComponentUpload place={place} value={fileOf(held)} onChange={take} />
}

function fileOf(held: Held | undefined): StoredFile | undefined {
  if (!held?.url) return undefined
  const { url, fileName = held.name ?? '', size = 0, md5 = '', sha1 = '', sha256 = '' } = held
  return { id: fileIdIn(url) ?? '', name: fileName, url, size, md5, sha1, sha256 }
}

const MAX_NAME = about(OtaComponentInput, 'name').max ?? 15
/** `firmware-1.2.bin` → `firmware-1.2`, as long as a component's name may be. */
const stemOf = (fileName: string) => fileName.replace(/\.[^.]*$/, '').slice(0, MAX_NAME)
