import { EyeOutlined, PrinterOutlined, DownOutlined } from '@ant-design/icons'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import { type TicketDetail, FEEDBACK_SOURCE, SATISFACTION } from '@oms/contract/ticket/ticket-rows.ts'
import { Alert, Button, Rate, Tag, Dropdown } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Link } from '#core/routing/router.tsx'
import { Allowed, PLATFORM_TENANT_ID, useCan } from '#core/auth/session.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'
import { RecordPager } from '#kit/record/record-pager.tsx'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { formatTicketPath, PriorityTag, SlaTag, StatusTag, TypeTag, useClaim } from './ticket.tsx'
import type { BatchKind } from './handling/batch-forms.tsx'

const PrintTicket = lazyAfterRender(() => import('./handling/print-ticket.tsx'), 'PrintTicket')

export type TicketInfo = z.output<typeof TicketDetail>
type Viewers = readonly { uid: number; realname: string; typing: number }[]

/** Head of the ticket page: number, status, time limits, other viewers and actions. */
export function TicketHead({ info, viewers }: { info: TicketInfo; viewers: Viewers }) {
  const [printing, setPrinting] = useState(false)
  return (
    <section className="kit-card ticket-head">
      <div className="kit-page-head">
        <div className="kit-row">
          <h1>
            <CopyText text={info.feedbackNo} />
          </h1>
          <StatusTag value={info.status} />
          <PriorityTag value={info.priority} />
          <TypeTag value={info.problemType} />
          <SlaTag ticket={info} />
        </div>
        <HeadButtons info={info} onPrint={() => setPrinting(true)} />
      </div>
      <Meta info={info} />
      {info.tags.length > 0 && (
        <p className="kit-muted kit-row ticket-head-meta">
          {info.tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
        </p>
      )}
      <Others viewers={viewers} />
      <Links info={info} />
      {printing && <PrintTicket id={info.id} onDone={() => setPrinting(false)} />}
    </section>
  )
}

function HeadButtons({ info, onPrint }: { info: TicketInfo; onPrint(): void }) {
  const claim = useClaim()
  return (
    <div className="kit-page-extra">
      <RecordPager noun="工单" />
      {!info.handlerId && info.status !== 5 && (
        <Allowed to={feedback.claim}>
          <Button type="primary" ghost onClick={() => claim(info)}>
            认领
          </Button>
        </Allowed>
      )}
      <TicketActions info={info} />
      <Allowed to={feedback.print}>
        <Button icon={<PrinterOutlined />} onClick={onPrint}>
          打印
        </Button>
      </Allowed>
    </div>
  )
}

function Meta({ info }: { info: TicketInfo }) {
  return (
    <div className="kit-muted kit-row ticket-head-meta">
      <span>处理人员：{info.handler || (info.status === 5 ? '-' : '未分派')}</span>
      <span>
        客户：
        <TenantLink {...info} />
      </span>
      <span>来源：{FEEDBACK_SOURCE[info.source as keyof typeof FEEDBACK_SOURCE]}</span>
      <span>更新于 {info.updateTime}</span>
      {info.reopenCount > 0 && <span>重新打开 {info.reopenCount} 次</span>}
      {info.suspendUntil && <span>提醒时间 {info.suspendUntil}</span>}
      {info.satisfaction !== null && (
        <span>
          满意度 <Rate disabled size="small" value={info.satisfaction} />{' '}
          {SATISFACTION[info.satisfaction as keyof typeof SATISFACTION]} {info.satisfactionRemark}
        </span>
      )}
    </div>
  )
}

/** Links to the page of the tenant. The platform has no such page. */
const TenantLink = ({ tenantId, tenantName }: TicketInfo) =>
  tenantId === PLATFORM_TENANT_ID ? (
    tenantName
  ) : (
    <PermittedLink to={`/tenantManage/tenant/overview/${tenantId}`}>{tenantName || '-'}</PermittedLink>
  )

function Others({ viewers }: { viewers: Viewers }) {
  if (viewers.length === 0) return null
  const typing = viewers.some((viewer) => viewer.typing === 1)
  const names = viewers.map((viewer) => `${viewer.realname}${viewer.typing ? '（正在填写）' : ''}`).join('、')
  return (
    <Alert
      className="ticket-viewers"
      type={typing ? 'warning' : 'info'}
      showIcon
      icon={<EyeOutlined />}
      title={`${names} 也在查看这个工单`}
    />
  )
}

function Links({ info: { mergedInto, merged } }: { info: TicketInfo }) {
  const link = ({ id, feedbackNo }: { id: number; feedbackNo: string }) => (
    <Link key={id} to={formatTicketPath('/AfterService/Questions', id)}>
      {feedbackNo}
    </Link>
  )
  return (
    <>
      {mergedInto && <Alert type="warning" showIcon title={<>该工单已合并到 {link(mergedInto)}，请在主工单中处理</>} />}
      {merged.length > 0 && <p className="kit-muted kit-row ticket-head-meta">已合并的工单：{merged.map(link)}</p>}
    </>
  )
}

const BatchForm = lazyAfterRender(() => import('./handling/batch-forms.tsx'), 'BatchForm')
const RateForm = lazyAfterRender(() => import('./handling/batch-forms.tsx'), 'RateForm')

/** Actions of a ticket except processing. */
function TicketActions({ info }: { info: TicketInfo }) {
  const can = useCan()
  const [open, setOpen] = useState<BatchKind | 'rate'>()
  const closed = info.status === 5
  const items = [
    { key: 'assign', label: '分派', to: feedback.assign, off: closed },
    { key: 'priority', label: '调整优先级', to: feedback.priority, off: false },
    { key: 'tags', label: '修改标签', to: feedback.tags, off: false },
    { key: 'merge', label: '合并到其他工单', to: feedback.merge, off: info.mergedInto !== null },
    { key: 'rate', label: '记录满意度', to: feedback.rate, off: !closed },
  ] as const
  const offered = items.filter(({ to, off }) => !off && can(to.access))
  if (offered.length === 0) return null
  return (
    <>
      <Dropdown
        trigger={['click']}
        menu={{ items: offered.map(({ key, label }) => ({ key, label, onClick: () => setOpen(key) })) }}
      >
        <Button icon={<DownOutlined />} iconPlacement="end">
          更多操作
        </Button>
      </Dropdown>
      {open === 'rate' && <RateForm info={info} onClose={() => setOpen(undefined)} />}
      {open && open !== 'rate' && <BatchForm kind={open} rows={[info]} onClose={() => setOpen(undefined)} />}
    </>
  )
}
