import { feedback } from '@oms/contract/ticket/ticket.ts'
import {
  FEEDBACK_PRIORITY,
  FEEDBACK_STATUS,
  PROBLEM_DICT,
  PROBLEM_PART,
  PROBLEM_PARTS,
  PROBLEM_TYPE,
  RECORD_KIND,
} from '@oms/contract/ticket/ticket-rows.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { useEffect, useEffectEvent } from 'react'
import { createPortal } from 'react-dom'
import { useFileUrl } from '#core/api/file-url.ts'
import { useRead } from '#core/api/query.ts'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'
import { useDict } from '#kit/pickers/use-dict.ts'
import { TICKET_STATUS_DICT, PROBLEM_TYPE_DICT } from '../ticket.tsx'
import './print.css'

type Printed = ResultOf<typeof feedback.print>
const word = (labels: Readonly<Record<number, string>>, value: number) => labels[value] ?? String(value)

/** Print layout of a ticket. Only this layout is printed, and the screen does not show it. */
export function PrintTicket({ id, onDone }: { id: number; onDone(): void }) {
  const { data, error } = useRead(feedback.print, { id }, { staleTime: 0, keepPrevious: false })
  const done = useEffectEvent(onDone)
  useEffect(() => {
    if (error) done()
  }, [error])
  return data ? createPortal(<Sheet data={data} onDone={onDone} />, document.body) : null
}

function Sheet({ data: { info, records }, onDone }: { data: Printed; onDone(): void }) {
  usePrintOnMount(onDone)
  const status = useDictLabels(TICKET_STATUS_DICT, FEEDBACK_STATUS)
  const problem = useDictLabels(PROBLEM_TYPE_DICT, PROBLEM_TYPE)
  const facts = factsOf(info, status.label(info.status), problem.label(info.problemType))
  return (
    <article className="ticket-print">
      <h1>售后工单 {info.feedbackNo}</h1>
      <dl>
        {facts.map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value || '-'}</dd>
          </div>
        ))}
      </dl>
      <h2>问题描述</h2>
      <p>{info.content}</p>
      <h2>问题分类</h2>
      {PROBLEM_PARTS.map((part) => (
        <Ticked key={part} part={part} values={info.problemAttr[part]} />
      ))}
      {info.images && (
        <>
          <h2>图片</h2>
          <div className="ticket-print-images">
            {info.images.split(',').map((address) => (
              <Picture key={address} address={address} />
            ))}
          </div>
        </>
      )}
      <h2>处理进度</h2>
      <Records records={records} statusLabel={status.label} />
    </article>
  )
}

/** Opens the print dialog after the mount and calls `onDone` when the dialog closes. */
function usePrintOnMount(onDone: () => void) {
  const done = useEffectEvent(onDone)
  useEffect(() => {
    const finished = () => done()
    window.addEventListener('afterprint', finished)
    // Waits until the browser has drawn the last cached image.
    const timer = setTimeout(() => window.print(), 600)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('afterprint', finished)
    }
  }, [])
}

/** Returns the titles and values of the ticket's fields. */
function factsOf(info: Printed['info'], status: string, problemType: string): [string, string | null][] {
  return [
    ['工单编号', info.feedbackNo],
    ['处理状态', status],
    ['优先级', word(FEEDBACK_PRIORITY, info.priority)],
    ['问题类型', problemType],
    ['所属客户', info.tenantName],
    ['反馈账号', info.account],
    ['联系方式', info.contact],
    ['处理人员', info.handler],
    ['设备序列号', info.devInfoVo.sn],
    ['设备名称', info.devInfoVo.devName],
    ['设备型号', info.devInfoVo.modelName],
    ['设备类型', info.devInfoVo.typeName],
    ['系统版本', info.devInfoVo.osVer],
    ['提交时间', info.createTime],
    ['关闭时间', info.closeTime],
  ]
}

interface RecordsProps {
  readonly records: Printed['records']
  readonly statusLabel: ReturnType<typeof useDictLabels>['label']
}

function Records({ records, statusLabel }: RecordsProps) {
  return (
    <table>
      <thead>
        <tr>
          <th>时间</th>
          <th>操作人</th>
          <th>操作</th>
          <th>状态</th>
          <th>处理人员</th>
          <th>备注</th>
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <tr key={record.id}>
            <td>{record.createTime}</td>
            <td>{record.realname}</td>
            <td>{word(RECORD_KIND, record.kind)}</td>
            <td>{statusLabel(record.status)}</td>
            <td>{record.handler}</td>
            <td>{[record.detail, record.remark].filter(Boolean).join(' ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Ticked({ part, values }: { part: keyof typeof PROBLEM_PART; values: readonly string[] }) {
  const dict = useDict(PROBLEM_DICT[part])
  return (
    <p>
      {PROBLEM_PART[part]}：{values.map((value) => dict.labelOf(value)).join('、') || '-'}
    </p>
  )
}

function Picture({ address }: { address: string }) {
  const url = useFileUrl(address)
  return url ? <img src={url} alt="" /> : null
}
