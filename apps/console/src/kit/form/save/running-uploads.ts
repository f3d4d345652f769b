import { Form, type FormInstance, type FormProps } from 'antd'
import { useEffect } from 'react'
import { toast } from '#core/loading/toast.ts'
import { revealField } from '#kit/form/more-fields.tsx'

type FormErrors = Parameters<NonNullable<FormProps['onFinishFailed']>>[0]

interface RunningUpload {
  /** Id of the control, set by antd's form item: form name and field path, joined by `_`. */
  readonly id: string | undefined
  readonly message: string
}

const uploadsByForm = new WeakMap<FormInstance, Set<RunningUpload>>()

const pathOf = (form: FormInstance, { id }: RunningUpload) =>
  id === undefined ? undefined : form.getFieldsError().find(({ name }) => id.endsWith(`_${name.join('_')}`))?.name

/**
 * Registers a running upload with the surrounding form, whose save is refused until the upload ends. `noun` names the
 * file in the message, `id` is the id that the form item gives to its control.
 */
export function useRunningUpload(
  isRunning: boolean,
  { id, noun = '文件' }: { id?: string | undefined; noun?: string },
) {
  const form = Form.useFormInstance() as FormInstance | undefined
  useEffect(() => {
    if (!form || !isRunning) return undefined
    const upload = { id, message: `${noun}还在上传，请等待上传完成` }
    const uploads = uploadsByForm.get(form) ?? new Set()
    uploadsByForm.set(form, uploads.add(upload))
    return () => {
      uploads.delete(upload)
      const name = pathOf(form, upload)
      if (name && form.getFieldError(name).includes(upload.message)) form.setFields([{ name, errors: [] }])
    }
  }, [form, isRunning, id, noun])
}

/** Shows the running uploads of a form at their fields. Returns false when the form has none. */
function refuseRunningUploads(form: FormInstance): boolean {
  const uploads = [...(uploadsByForm.get(form) ?? [])]
  for (const upload of uploads) {
    const name = pathOf(form, upload)
    if (name) {
      form.setFields([{ name, errors: [upload.message] }])
      revealField(name)
      form.scrollToField(name, { block: 'center' })
    } else toast.warning(upload.message)
  }
  return uploads.length > 0
}

/** Returns antd's submit handlers of a form that calls `submit` only when no upload is running. */
export const afterUploads = (form: FormInstance, submit: () => void) => ({
  onFinish: () => void (refuseRunningUploads(form) || submit()),
  onFinishFailed: ({ errorFields }: Pick<FormErrors, 'errorFields'>) => {
    for (const { name } of errorFields) revealField(name)
    refuseRunningUploads(form)
  },
})
