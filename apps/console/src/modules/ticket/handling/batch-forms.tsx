import {
  AssignInput,
  CloseInput,
  feedback,
  MergeInput,
  PriorityInput,
  SuspendInput,
  TagsInput,
  RateInput,
} from '@oms/contract/ticket/ticket.ts'
import { FeedbackBatch, SATISFACTION } from '@oms/contract/ticket/ticket-rows.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { Form, Modal, Select, Rate } from 'antd'
import type * as z from 'zod'
import { dialogs } from '#core/loading/overlays.ts'
import { useRead } from '#core/api/query.ts'
import { renderNoOptions } from '#kit/form/no-options.tsx'
import { Field, NoteField, SelectField } from '#kit/form/field.tsx'
import { DateTimeField } from '#kit/form/field-date.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { keepStaleOptions } from '#kit/pickers/keep-stale-options.ts'
import { UserPicker } from '#kit/pickers/user-picker.tsx'
import { useTagOptions } from '../ticket.tsx'
import type { TicketInfo } from '../ticket-head.tsx'

type Row = {
  readonly id: number
  readonly feedbackNo: string
  readonly tenantId: number
  readonly tags: readonly string[]
  readonly priority: number
  readonly handlerId: number | null
}
type Report = z.output<typeof FeedbackBatch>
export type BatchKind = 'assign' | 'priority' | 'tags' | 'suspend' | 'close' | 'merge'

interface Props {
  readonly kind: BatchKind
  readonly rows: readonly Row[]
  readonly onClose: () => void
  readonly onDone?: () => void
}

const TITLES: Readonly<Record<BatchKind, string>> = {
  assign: '分派工单',
  priority: '调整优先级',
  tags: '修改标签',
  suspend: '挂起工单',
  close: '关闭工单',
  merge: '合并工单',
}

/** Dialog for a batch action on one or more tickets. Lists the tickets that the server refused. */
export function BatchForm(props: Props) {
  const { kind } = props
  if (kind === 'assign') return <Assign {...props} />
  if (kind === 'priority') return <Priority {...props} />
  if (kind === 'tags') return <Tags {...props} />
  if (kind === 'suspend') return <Suspend {...props} />
  if (kind === 'close') return <Close {...props} />
  return <Merge {...props} />
}

const formatBatchTitle = (kind: BatchKind, rows: readonly Row[]) =>
  `${TITLES[kind]}（${rows.length === 1 ? rows[0]?.feedbackNo : `${rows.length} 个`}）`

function useBatchForm<E extends Endpoint>(endpoint: E, { rows, onClose, onDone }: Props, initial: object = {}) {
  const showFailures = useFailures()
  return useFormModal(endpoint, {
    onClose,
    initial: { ids: rows.map(({ id }) => id), ...initial },
    onSaved: (report) => {
      showFailures(report as Report)
      onDone?.()
    },
  })
}

function useFailures() {
  return ({ done, failed }: Report) => {
    if (failed.length === 0) return
    dialogs.warning({
      title: `成功 ${done} 个，失败 ${failed.length} 个`,
      content: (
        <ul className="kit-items kit-report">
          {failed.map(({ id, name, msg }) => (
            <li key={id}>
              {name}：{msg}
            </li>
          ))}
        </ul>
      ),
    })
  }
}

function Assign(props: Props) {
  const { modal, form } = useBatchForm(feedback.assign, props, {
    seen: props.rows.map(({ handlerId }) => handlerId ?? 0),
  })
  return (
    <Modal title={formatBatchTitle('assign', props.rows)} {...modal} okText="分派">
      <Form {...form}>
        <Field of={AssignInput} name="handlerId">
          <UserPicker forTickets />
        </Field>
        <NoteField of={AssignInput} name="remark" rows={3} />
      </Form>
    </Modal>
  )
}

function Priority(props: Props) {
  const { modal, form } = useBatchForm(feedback.priority, props, { priority: props.rows[0]?.priority })
  return (
    <Modal title={formatBatchTitle('priority', props.rows)} {...modal}>
      <Form {...form}>
        <SelectField of={PriorityInput} name="priority" />
      </Form>
    </Modal>
  )
}

const MODES = [
  { value: 'set', label: '替换为' },
  { value: 'add', label: '添加' },
  { value: 'remove', label: '移除' },
]

function Tags(props: Props) {
  const single = props.rows.length === 1
  const initial = { mode: single ? 'set' : 'add', tags: single ? props.rows[0]?.tags : [] }
  const { modal, form } = useBatchForm(feedback.tags, props, initial)
  const tags = useTagOptions()
  return (
    <Modal title={formatBatchTitle('tags', props.rows)} {...modal}>
      <Form {...form}>
        {!single && (
          <Form.Item name="mode" label="方式">
            <Select options={MODES} />
          </Form.Item>
        )}
        <Field of={TagsInput} name="tags">
          <Select mode="tags" tokenSeparators={[',', '，']} options={tags} placeholder="输入后回车，可选已有标签" />
        </Field>
      </Form>
    </Modal>
  )
}

function Suspend(props: Props) {
  const { modal, form } = useBatchForm(feedback.suspend, props)
  return (
    <Modal title={formatBatchTitle('suspend', props.rows)} {...modal} okText="挂起">
      <p>挂起期间停止响应和解决的计时。</p>
      <Form {...form}>
        <DateTimeField of={SuspendInput} name="suspendUntil" hint="到时提醒处理人员，可不填" />
        <NoteField of={SuspendInput} name="remark" rows={3} />
      </Form>
    </Modal>
  )
}

function Close(props: Props) {
  const { modal, form } = useBatchForm(feedback.close, props)
  return (
    <Modal title={formatBatchTitle('close', props.rows)} {...modal} okText="关闭工单">
      <p>关闭后停止计时，并清空处理人员；有新情况时可以重新打开。</p>
      <Form {...form}>
        <NoteField of={CloseInput} name="remark" rows={3} hint="写入每个工单的处理进度" />
      </Form>
    </Modal>
  )
}

function Merge(props: Props) {
  const many = props.rows.length > 1
  const [first] = props.rows
  const { modal, form } = useBatchForm(feedback.merge, props)
  return (
    <Modal title={formatBatchTitle('merge', props.rows)} {...modal} okText="合并">
      <p>合并后，重复的工单关闭并链接到主工单，今后在主工单中处理。</p>
      <Form {...form}>
        <Field of={MergeInput} name="intoId">
          {many ? (
            <Select
              placeholder="选择主工单"
              options={props.rows.map(({ id, feedbackNo }) => ({ value: id, label: feedbackNo }))}
            />
          ) : (
            first && <TicketPicker besides={first.id} tenantId={first.tenantId} />
          )}
        </Field>
      </Form>
    </Modal>
  )
}

/** Selects the ticket of the same customer to merge into. Searches by ticket number, serial number or account. */
function TicketPicker({
  besides,
  tenantId,
  ...control
}: {
  besides: number
  tenantId: number
  id?: string
  value?: number
  onChange?: (id: number) => void
}) {
  const [keyword, setText] = useKeyword()
  const asked = { keyword, tenantId, merged: 0 as const, pageNum: 1, pageSize: 20 }
  const read = useRead(feedback.page, asked, { quiet: true })
  return (
    <Select
      {...control}
      placeholder="输入编号、序列号、账号或电话搜索"
      {...keepStaleOptions(read.isFetching)}
      showSearch={{ filterOption: false, onSearch: setText }}
      notFoundContent={renderNoOptions(read, '没有找到工单')}
      options={(read.data?.list ?? [])
        .filter(({ id }) => id !== besides)
        .map(({ id, feedbackNo, content }) => ({ value: id, label: `${feedbackNo} · ${content.slice(0, 24)}` }))}
    />
  )
}

/** Form that records the customer's rating of a closed ticket. */
export function RateForm({ info, onClose }: { info: TicketInfo; onClose(): void }) {
  const { id, satisfaction, satisfactionRemark } = info
  const initial = { id, ...(satisfaction !== null && { satisfaction }), satisfactionRemark }
  const { modal, form } = useFormModal(feedback.rate, { onClose, initial })
  return (
    <Modal title="记录满意度" {...modal}>
      <Form {...form}>
        <Field of={RateInput} name="satisfaction">
          <Rate tooltips={Object.values(SATISFACTION)} />
        </Field>
        <NoteField of={RateInput} name="satisfactionRemark" rows={3} />
      </Form>
    </Modal>
  )
}
