import { NOTICE_ATTACHMENTS, NOTICE_TYPE, NoticeInput, notices } from '@oms/contract/system/notice.ts'
import type { NoticeDetail } from '@oms/contract/system/notice-rows.ts'
import { UPLOAD } from '@oms/contract/core/upload.ts'
import { Drawer, Form, Skeleton } from 'antd'
import type * as z from 'zod'
import { call } from '#core/api/client.ts'
import { useMustChooseTenant } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Field, NoteField, SelectField, SwitchField, TextField } from '#kit/form/field.tsx'
import { DateTimeField } from '#kit/form/field-date.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { RestoredDraft } from '#kit/form/restored-draft.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'
import { FileUpload } from '#kit/upload/file-upload.tsx'
import { splitAddresses, parseFileId, joinAddresses } from '#kit/upload/stored-file.ts'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { TargetFields } from './target-fields.tsx'

type Detail = z.output<typeof NoticeDetail>

const RichEditor = lazyAfterRender(() => import('./rich-editor.tsx'), 'RichEditor', {
  fallback: () => <Skeleton active />,
})
/** Target "customers". Default of a new notice when the account may not address everybody. */
const CUSTOMERS = 2
const NEW = { type: 1, priority: 2, target: 1, targetIds: [], isTop: 0, needConfirm: 0, attachments: '' }
const RULE = {
  ...UPLOAD.file,
  extensions: [...UPLOAD.file.extensions, ...UPLOAD.image.extensions],
  maxCount: NOTICE_ATTACHMENTS,
}
const urlOf = (id: string) => `/api/v1/file/${id}`

/** Form that adds a notice as a draft. */
export function NoticeAddForm({ onClose }: { onClose(): void }) {
  const initial = useMustChooseTenant() ? { ...NEW, target: CUSTOMERS } : NEW
  const options = { onClose, initial, input: inputOf, draft: 'notice:new' }
  const { drawer, footer, form, draft } = useFormDrawer(notices.create, options)
  return (
    <Drawer
      title="新增公告"
      {...drawer}
      size="min(860px, 100vw)"
      footer={<FormFooter {...footer} saveText="存为草稿" />}
    >
      <RestoredDraft {...draft} />
      <Form {...form}>
        <Fields />
      </Form>
    </Drawer>
  )
}

/** Form that edits a draft or a withdrawn notice. */
export function NoticeEditForm({ id, onClose }: { id: number; onClose(): void }) {
  return (
    <FreshRecord
      of={id}
      read={() => call(notices.get, { id }, { quiet: true })}
      layer="drawer"
      title="编辑公告"
      onClose={onClose}
    >
      {(detail) => <EditForm detail={detail} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ detail, onClose }: { detail: Detail; onClose(): void }) {
  const latest = async () => valuesOf(await call(notices.get, { id: detail.noticeId }))
  const options = { onClose, initial: valuesOf(detail), input: inputOf, latest }
  const { drawer, footer, form } = useFormDrawer(notices.update, options)
  return (
    <Drawer
      title={`编辑公告「${detail.title}」`}
      {...drawer}
      size="min(860px, 100vw)"
      footer={<FormFooter {...footer} />}
    >
      <Form {...form}>
        <Fields detail={detail} />
      </Form>
    </Drawer>
  )
}

function Fields({ detail }: { detail?: Detail }) {
  const names = Object.fromEntries(detail?.attachments.map(({ id, name }) => [urlOf(id), name]) ?? [])
  const types = useDictLabels('sys_notice_type', NOTICE_TYPE).options
  return (
    <>
      <TextField of={NoticeInput} name="title" />
      <div className="kit-pair">
        <SelectField of={NoticeInput} name="type" options={types} />
        <SelectField of={NoticeInput} name="priority" />
      </div>
      <TargetFields chosen={detail?.targets ?? []} />
      <Field of={NoticeInput} name="content">
        <RichEditor label="内容" />
      </Field>
      <NoteField of={NoticeInput} name="summary" rows={2} hint="显示在消息列表中，不填则取内容开头" />
      <div className="kit-pair">
        <DateTimeField of={NoticeInput} name="startTime" hint="到时自动出现，不填则发布后立即可见" />
        <DateTimeField of={NoticeInput} name="endTime" hint="到时自动消失，不填则长期有效" />
      </div>
      <div className="kit-pair">
        <SwitchField of={NoticeInput} name="isTop" on="是" off="否" />
        <SwitchField of={NoticeInput} name="needConfirm" on="是" off="否" hint="收件人须点击“确认收到”" />
      </div>
      <Form.Item name="attachments" label="附件">
        <FileUpload rule={RULE} purpose="notice" names={names} />
      </Form.Item>
    </>
  )
}

/** Converts a notice to form values: the form holds the URLs of the attachments, the call sends their ids. */
const valuesOf = (detail: Detail) => ({
  ...detail,
  attachments: joinAddresses(detail.attachments.map(({ id }) => urlOf(id))),
})

const inputOf = (values: Record<string, unknown>) => {
  const { attachments, startTime, endTime, ...rest } = values
  const ids = splitAddresses(attachments as string).flatMap((address) => parseFileId(address) ?? [])
  const fields = Object.fromEntries(Object.entries(rest).filter(([key]) => key in notices.update.input.shape))
  return { ...fields, attachments: ids, startTime: startTime ?? '', endTime: endTime ?? '' } as never
}
