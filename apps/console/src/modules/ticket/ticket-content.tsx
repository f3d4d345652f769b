import { DownloadOutlined } from '@ant-design/icons'
import { files } from '@oms/contract/system/file.ts'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import { TicketDeviceInfo, TicketDetail, PROBLEM_TYPE } from '@oms/contract/ticket/ticket-rows.ts'
import { Button, Popover } from 'antd'
import { download } from '#core/api/download.ts'
import { useRead } from '#core/api/query.ts'
import { formatBytes } from '#core/text/format.ts'
import { DictLabel } from '#kit/pickers/dict-words.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { Panel } from '#kit/record/page.tsx'
import { Time } from '#kit/record/time.tsx'
import { ImageList } from '#kit/upload/image-upload.tsx'
import type { TicketInfo } from './ticket-head.tsx'
import { PROBLEM_TYPE_DICT } from './ticket-tags.tsx'

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
      <Descriptions row={info} items={ITEMS} />
      <h3 className="kit-heading">问题描述</h3>
      <p className="ticket-text kit-words">{info.content}</p>
      <div className="kit-row">
        <h3 className="kit-heading">图片</h3>
        {info.images && <ZipButton id={info.id} kind="image" label="下载全部图片" />}
      </div>
      <ImageList value={info.images} />
      <div className="kit-row">
        <h3 className="kit-heading">附件</h3>
        {info.attachments.length > 1 && <ZipButton id={info.id} kind="file" label="下载全部附件" />}
      </div>
      <Attachments list={info.attachments} />
    </Panel>
  )
}

const Serial = ({ sn, devName }: { sn: string; devName: string }) => (
  <Popover trigger="click" title="设备名称" content={<DeviceName sn={sn} name={devName || '该设备没有名称'} />}>
    <Button type="link" className="ticket-serial">
      {sn}
    </Button>
  </Popover>
)

/** Links to the page of the device when the device still exists. */
function DeviceName({ sn, name }: { sn: string; name: string }) {
  const { data } = useRead(feedback.device, { sn }, { quiet: true })
  const id = data?.device?.id
  return id ? <PermittedLink to={`/device/apkManage/detail/${id}`}>{name}</PermittedLink> : <>{name}</>
}

const ZipButton = ({ id, kind, label }: { id: number; kind: 'image' | 'file'; label: string }) => (
  <Button size="small" icon={<DownloadOutlined />} onClick={() => download(feedback.zip, { id, kind })}>
    {label}
  </Button>
)

function Attachments({ list }: { list: TicketInfo['attachments'] }) {
  if (list.length === 0) return <span className="kit-none">-</span>
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
