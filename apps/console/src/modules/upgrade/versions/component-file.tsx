import { about } from '@oms/contract/core/fields.ts'
import { DEFAULT_COMPONENT_TYPE, FIRMWARE_COMPONENT, OtaComponentInput } from '@oms/contract/upgrade/ota.ts'
import { Form } from 'antd'
import { useCan } from '#core/auth/session.tsx'
import { buildFieldRules } from '#kit/form/field.tsx'
import { ComponentUpload } from '#kit/upload/component-upload.tsx'
import { parseFileId, type StoredFile } from '#kit/upload/stored-file.ts'
import { useArtifactKind } from './artifact-kind.ts'

/** A component in the form. A saved component has a file name; a new component gets it from the upload. */
interface FormComponent {
  name?: string
  type?: number
  fileName?: string
  url?: string
  size?: number
  md5?: string
  sha1?: string
  sha256?: string
}

/** File of one component, with the upload that replaces the file. */
export function ComponentFile({ index, place }: { index: number; place: string }) {
  const { title } = about(OtaComponentInput, 'url')
  return (
    <Form.Item name={[index, 'url']} label={title} {...buildFieldRules({ of: OtaComponentInput, name: 'url' })}>
      <FileControl index={index} place={place} />
    </Form.Item>
  )
}

function FileControl(props: { id?: string; index: number; place: string; onChange?(url: string): void }) {
  const { id, index, place, onChange } = props
  const can = useCan()
  const { calls, key } = useArtifactKind()
  const form = Form.useFormInstance()
  const path = ['components', index]
  const held = Form.useWatch(path, { form, preserve: true }) as FormComponent | undefined
  const take = (file: StoredFile) => {
    const { name: fileName, url, size, md5, sha1, sha256 } = file
    const before = form.getFieldValue(path) as FormComponent | undefined
    const name = before?.name || stemOf(fileName)
    // Most .bin files are firmware images. A type that the user has chosen is not changed.
    const isImage = key === 'ota' && /\.bin$/i.test(fileName) && before?.type === DEFAULT_COMPONENT_TYPE
    const type = isImage && !form.isFieldTouched([...path, 'type']) ? FIRMWARE_COMPONENT : before?.type
    form.setFieldValue(path, { ...before, name, type, fileName, size, md5, sha1, sha256 })
    // Notifies the form, which then stores the draft. The URL is set only here: a URL that is already set would cause
    // no change event.
    onChange?.(url)
    // Clears the validation errors of the fields that the upload has filled.
    void form
      .validateFields([
        [...path, 'name'],
        [...path, 'url'],
      ])
      .catch(() => {})
  }
  if (!can(calls.upload.access)) return <>{held?.fileName ?? '您没有上传组件的权限'}</>
  return <ComponentUpload id={id} place={place} value={fileOf(held)} onChange={take} />
}

function fileOf(held: FormComponent | undefined): StoredFile | undefined {
  if (!held?.url) return undefined
  const { url, fileName = held.name ?? '', size = 0, md5 = '', sha1 = '', sha256 = '' } = held
  return { id: parseFileId(url) ?? '', name: fileName, url, size, md5, sha1, sha256 }
}

const MAX_NAME = about(OtaComponentInput, 'name').max ?? 15
/**
 * Returns the file name without its extension, cut to the maximum length of a component name: `firmware-1.2.bin` →
 * `firmware-1.2`.
 */
const stemOf = (fileName: string) => fileName.replace(/\.[^.]*$/, '').slice(0, MAX_NAME)
