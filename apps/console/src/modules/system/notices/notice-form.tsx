import { NOTICE_ATTACHMENTS, NOTICE_TYPE, NoticeInput, notices, NOTICE_TARGET } from '@oms/contract/system/notice.ts'
import type { NoticeDetail, NoticeTarget } from '@oms/contract/system/notice-rows.ts'
import { UPLOAD } from '@oms/contract/core/upload.ts'
import { Drawer, Form, Skeleton } from 'antd'
import type * as z from 'zod'
import { call } from '#core/api/client.ts'
import { useMustChooseTenant, useSession } from '#core/auth/session.tsx'
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
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { renderNoOptions } from '#kit/form/no-options.tsx'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { CreatingSelect } from '#kit/pickers/creating-select.tsx'
import { keepStaleOptions } from '#kit/pickers/keep-stale-options.ts'

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

const PLATFORM = '1'
const EVERYONE = 1

/** Form fields for the targets of a notice. Shows the number of recipients. */
function TargetFields({ chosen }: { chosen: readonly z.output<typeof NoticeTarget>[] }) {
  const form = Form.useFormInstance()
  const target = Form.useWatch<number | undefined>('target', form)
  const targetIds = Form.useWatch<number[] | undefined>('targetIds', { form, preserve: true }) ?? []
  const fromPlatform = String(useSession()?.ownerId ?? '') === PLATFORM
  const isLimited = useMustChooseTenant()
  const options = Object.entries(NOTICE_TARGET)
    .map(([value, label]) => ({ value: Number(value), label }))
    .filter(({ value }) => (fromPlatform || value !== CUSTOMERS) && !(isLimited && value === EVERYONE))
  return (
    <>
      <SelectField of={NoticeInput} name="target" options={options} hint={<Audience {...{ target, targetIds }} />} />
      <Form.Item noStyle shouldUpdate={(before, after) => reset(form, before, after)}>
        {() =>
          target !== undefined &&
          target !== EVERYONE && (
            <Field of={NoticeInput} name="targetIds">
              <TargetPicker key={target} kind={target as TargetKind} chosen={chosen} />
            </Field>
          )
        }
      </Form.Item>
    </>
  )
}

/** Clears the selected targets when the target type changes. */
function reset(form: ReturnType<typeof Form.useFormInstance>, before: { target?: number }, after: { target?: number }) {
  const changed = before.target !== after.target
  if (changed && before.target !== undefined) form.setFieldValue('targetIds', [])
  return changed
}

function Audience({ target, targetIds }: { target: number | undefined; targetIds: number[] }) {
  const known = target !== undefined && (target === EVERYONE || targetIds.length > 0)
  const ids = target === EVERYONE ? [] : targetIds
  const { data } = useRead(notices.audience, { target: target ?? EVERYONE, targetIds: ids } as never, {
    enabled: known,
    quiet: true,
  })
  return <>{known && data ? `将发送给 ${data.count} 个账号` : '请选择发送范围'}</>
}

type Target = z.output<typeof NoticeTarget>
type TargetKind = 2 | 3 | 4

const WORDS: Readonly<Record<TargetKind, string>> = {
  2: '输入客户名称搜索',
  3: '输入角色名称搜索',
  4: '输入账号或姓名搜索',
}

/**
 * Kinds of records that a user may create in the picker, by kind of target. Accounts are missing, because only their
 * own screen shows the one-time password.
 */
const CREATES: Readonly<Partial<Record<TargetKind, 'tenant' | 'role'>>> = { 2: 'tenant', 3: 'role' }

interface Props {
  kind: TargetKind
  /** The form sets the value. */
  value?: number[]
  onChange?: (ids: number[]) => void
  id?: string
  /** Names of the targets that were selected when the form opened. */
  chosen: readonly Target[]
}

/** Selects tenants, roles or accounts. Searches on the server while the user types. */
function TargetPicker({ kind, value = [], onChange, id, chosen }: Props) {
  const [keyword, setText] = useKeyword()
  const [seen, setSeen] = useState<readonly Target[]>(chosen)
  const read = useRead(notices.targets, { target: kind, keyword, pageNum: 1, pageSize: 50 })
  const found = read.data?.list ?? []
  const known = seen.filter((target) => value.includes(target.id) && !found.some((each) => each.id === target.id))
  return (
    <CreatingSelect
      create={CREATES[kind]}
      {...(id && { id })}
      mode="multiple"
      value={value}
      placeholder={WORDS[kind]}
      maxTagCount={20}
      {...keepStaleOptions(read.isFetching)}
      showSearch={{ filterOption: false, onSearch: setText }}
      notFoundContent={renderNoOptions(read)}
      options={[...known, ...found].map((target) => ({
        value: target.id,
        label: target.detail ? `${target.name}（${target.detail}）` : target.name,
      }))}
      onChange={(ids: number[]) => {
        setSeen([...new Map([...seen, ...found].map((each) => [each.id, each])).values()])
        onChange?.(ids)
      }}
    />
  )
}
