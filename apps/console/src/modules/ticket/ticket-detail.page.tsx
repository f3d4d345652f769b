import { feedback } from '@oms/contract/ticket/ticket.ts'
import {
  FEEDBACK_MESSAGES,
  RECORD_KIND,
  TicketDeviceInfo,
  TicketDetail,
  PROBLEM_TYPE,
} from '@oms/contract/ticket/ticket-rows.ts'
import { Button, Result, Timeline, Popover } from 'antd'
import { useState, useEffect, useEffectEvent } from 'react'
import { useLocation } from 'react-router'
import { ticketDesk } from '@oms/contract/ticket/ticket-desk.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { useRead } from '#core/api/query.ts'
import { useSearchParams } from '#core/routing/router.tsx'
import { useTab, useTabTitle } from '#core/routing/tab.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { RecordPage } from '#kit/record/record-page.tsx'
import { Time } from '#kit/record/time.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { call } from '#core/api/client.ts'
import { Allowed } from '#core/auth/session.tsx'
import { DevicePanel } from './device-panel.tsx'
import { CommentForm } from './handling/comment-form.tsx'
import { DisposePanel } from './handling/dispose-form.tsx'
import { ticketListPath, parseTicketId, StatusTag, PROBLEM_TYPE_DICT } from './ticket.tsx'
import { TicketHead, type TicketInfo } from './ticket-head.tsx'
import './ticket.css'
import { DownloadOutlined } from '@ant-design/icons'
import { files } from '@oms/contract/system/file.ts'
import { download } from '#core/api/download.ts'
import { formatBytes } from '#core/text/format.ts'
import { DictLabel } from '#kit/pickers/dict-words.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { ImageList } from '#kit/upload/image-upload.tsx'

/** Page of one ticket: content, processing form, device and progress timeline. */
export default function TicketDetailPage() {
  const { pathname } = useLocation()
  const [params] = useSearchParams()
  const [opened] = useState(() => ({ id: parseTicketId(params.get('info')), list: ticketListPath(pathname) }))
  if (opened.id === undefined) return <Malformed list={opened.list} />
  return <Opened id={opened.id} list={opened.list} />
}

function Malformed({ list }: { list: string }) {
  const tab = useTab()
  useTabTitle('无法打开工单')
  return (
    <Panel>
      <Result
        status="warning"
        title={FEEDBACK_MESSAGES.malformed}
        subTitle="地址可能被截断或修改过。请回到列表，从列表中打开工单。"
        extra={
          <Button type="primary" onClick={() => tab.close(list)}>
            返回列表
          </Button>
        }
      />
    </Panel>
  )
}

function Opened({ id, list }: { id: number; list: string }) {
  const read = useRead(feedback.info, { id }, { quiet: true, keepPrevious: false, staleTime: 0 })
  const [typing, setTyping] = useState(false)
  const viewers = useViewers(id, typing)
  useTabTitle(read.data && `工单 ${read.data.feedbackNo}`)
  return (
    <RecordPage read={read} list={list}>
      {(info) => (
        <Page>
          <TicketHead info={info} viewers={viewers} />
          <div className="ticket-columns">
            <div className="ticket-main kit-many kit-stack">
              <TicketContent info={info} />
              <Panel title="处理进度">
                <Allowed to={feedback.comment}>
                  <CommentForm id={id} />
                </Allowed>
                <TicketProgress id={id} />
              </Panel>
            </div>
            <div className="ticket-side kit-stack">
              <DisposePanel info={info} onTyping={setTyping} />
              {info.sn && (
                <Panel title="设备">
                  <DevicePanel sn={info.sn} besides={id} />
                </Panel>
              )}
            </div>
          </div>
        </Page>
      )}
    </RecordPage>
  )
}

/** Progress timeline of a ticket, newest entry first. */
function TicketProgress({ id }: { id: number }) {
  const { data, error, refetch } = useRead(feedback.records, { id }, { quiet: true, keepPrevious: false, staleTime: 0 })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  return (
    <Timeline
      className="ticket-progress"
      items={data.map(({ id, kind, realname, handler, status, createTime, remark, detail }) => ({
        key: id,
        color: kind === 10 ? 'red' : status === 5 ? 'green' : 'blue',
        content: (
          <>
            <div className="kit-row">
              <b>{realname || '系统'}</b>
              <span>{RECORD_KIND[kind as keyof typeof RECORD_KIND]}</span>
              <StatusTag value={status} />
              <span className="kit-end kit-muted">
                <Time at={createTime} />
              </span>
            </div>
            {handler && <div className="kit-muted">处理人员：{handler}</div>}
            {detail && <div>{detail}</div>}
            {remark && <div className="kit-block kit-words ticket-remark">{remark}</div>}
          </>
        ),
      }))}
    />
  )
}

const BEAT_MS = 15_000
type Viewers = ResultOf<typeof ticketDesk.viewers>

/**
 * Returns the other viewers of a ticket. Reports this viewer every 15 seconds while the tab is visible, and reports
 * leaving.
 */
function useViewers(id: number, typing: boolean) {
  const [viewers, setViewers] = useState<Viewers>([])
  const beat = useEffectEvent((leave: boolean) => {
    const said = call(ticketDesk.viewers, { id, typing: typing ? 1 : 0, leave: leave ? 1 : 0 }, { quiet: true })
    // A failed report is ignored, because the next report follows within 15 seconds.
    said.then(leave ? () => {} : setViewers, () => {})
  })
  useEffect(() => {
    beat(false)
    const timer = setInterval(() => beat(false), BEAT_MS)
    return () => {
      clearInterval(timer)
      void call(ticketDesk.viewers, { id, leave: 1 }, { quiet: true }).catch(() => {})
    }
  }, [id])
  useEffect(() => {
    if (typing) beat(false)
  }, [typing])
  return viewers
}

const { item } = createDescriptions(TicketDetail)
const device = createDescriptions(TicketDeviceInfo)
const ITEMS = [
  item('feedbackNo'),
  item('account', (account, { contact }) => (
    <>
      {account && (
        <PermittedLink to={`/AccountAdministration/accountList?${new URLSearchParams({ account })}`}>
          {account}
        </PermittedLink>
      )}
      {account && contact && ' / '}
      {contact}
    </>
  )),
  item('sn', (sn, info) => sn && <Serial sn={sn} devName={info.devInfoVo.devName} />),
  { ...device.item('modelName'), render: (info: TicketInfo) => info.devInfoVo.modelName },
  { ...device.item('typeName'), render: (info: TicketInfo) => info.devInfoVo.typeName },
  { ...device.item('osVer'), render: (info: TicketInfo) => info.devInfoVo.osVer },
  {
    ...device.item('createTime'),
    key: 'devCreateTime',
    render: (info: TicketInfo) => <Time at={info.devInfoVo.createTime} />,
  },
  item('problemType', (type) => <DictLabel type={PROBLEM_TYPE_DICT} words={PROBLEM_TYPE} value={type} />),
  item('createTime', (at) => <Time at={at} />),
]

/** Ticket information: reported problem, device, images and attachments. */
export function TicketContent({ info }: { info: TicketInfo }) {
  return (
    <Panel title="工单信息">
      <Descriptions row={info} items={ITEMS} canFold={false} />
      <h3 className="kit-heading">问题描述</h3>
      <p className="ticket-text kit-words">{info.content}</p>
      {info.images && (
        <>
          <div className="kit-row">
            <h3 className="kit-heading">图片</h3>
            <ZipButton id={info.id} kind="image" label="下载全部图片" />
          </div>
          <ImageList value={info.images} />
        </>
      )}
      {info.attachments.length > 0 && (
        <>
          <div className="kit-row">
            <h3 className="kit-heading">附件</h3>
            {info.attachments.length > 1 && <ZipButton id={info.id} kind="file" label="下载全部附件" />}
          </div>
          <Attachments list={info.attachments} />
        </>
      )}
    </Panel>
  )
}

/** Serial number with the name of the device in a popup. Links to the device while it exists. */
function Serial({ sn, devName }: { sn: string; devName: string }) {
  const { data } = useRead(feedback.device, { sn }, { quiet: true })
  const id = data?.device?.id
  return (
    <Popover trigger={['hover', 'focus', 'click']} title="设备名称" content={devName || '该设备没有名称'}>
      {id ? (
        <span>
          <PermittedLink to={`/device/apkManage/detail/${id}`}>{sn}</PermittedLink>
        </span>
      ) : (
        <Button type="link" className="ticket-serial">
          {sn}
        </Button>
      )}
    </Popover>
  )
}

const ZipButton = ({ id, kind, label }: { id: number; kind: 'image' | 'file'; label: string }) => (
  <Button size="small" icon={<DownloadOutlined />} onClick={() => download(feedback.zip, { id, kind })}>
    {label}
  </Button>
)

function Attachments({ list }: { list: TicketInfo['attachments'] }) {
  return (
    <ul className="kit-plain">
      {list.map(({ id, name, size }) => (
        <li key={id} className="kit-row">
          <span className="kit-ellipsis" title={name}>
            {name}
          </span>
          <span className="kit-muted">{formatBytes(size)}</span>
          <Button
            type="link"
            size="small"
            icon={<DownloadOutlined />}
            aria-label={`下载 ${name}`}
            onClick={() => download(files.download, { id, download: '1' }, name)}
          >
            下载
          </Button>
        </li>
      ))}
    </ul>
  )
}
