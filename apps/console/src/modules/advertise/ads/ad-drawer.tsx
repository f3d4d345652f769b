import { AdDetail, type AdRow, ads, type AdVersionRow } from '@oms/contract/advertise/ad.ts'
import { Alert, Tabs, Tag, Empty } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { TagList } from '#kit/record/tag-list.tsx'
import { time, Time } from '#kit/record/time.tsx'
import { FileList } from '#kit/upload/file-upload.tsx'
import { joinAddresses } from '#kit/upload/stored-file.ts'
import { AdType, AuditTag, EnableCell, formatValidity, ProgramsLink, BannedWords } from './ad-cells.tsx'
import { AdPreview } from '../preview.tsx'
import { MaterialLine } from '../materials/material-line.tsx'
import { CHECKLIST, type CheckPoint, VERSION_STATUS } from '@oms/contract/advertise/ad-rules.ts'
import { DictTag } from '#kit/pickers/dict.tsx'
import { useDict } from '#kit/pickers/use-dict.ts'
import { State } from '#kit/record/state.tsx'

const { item, wide } = createDescriptions(AdDetail)
const ITEMS = [
  item('adType', (type) => <AdType type={type} />),
  item('auditStatus', (status) => <AuditTag status={status} />),
  item('enableStat', (_, row) => <EnableCell row={row} />),
  item('duration', (seconds) => `${seconds} 秒`),
  item('orientation'),
  item('advertiser'),
  item('contractNo'),
  item('categoryId', (value) => <CategoryName value={value} />),
  item('validTo', (_, row) => formatValidity(row)),
  item('approvalNo'),
  item('approvalUntil'),
  item('refCount', (_, row) => <ProgramsLink row={row} unit=" 个节目单" />),
  item('tags', (tags) => (
    <TagList>
      {tags.map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
    </TagList>
  )),
  item('tenantName'),
  item('createName'),
  item('updateTime', time),
  wide('linkUrl'),
]

/** Ad drawer: creative in the preview, facts, versions and history. */
export function AdDrawer(props: {
  rows: readonly AdRow[]
  row: AdRow | undefined
  onRow(row: AdRow | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ adName }) => adName}>
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '基本信息', children: <Details key={row.id} row={row} /> },
            { key: 'versions', label: '版本', children: <AdVersions key={row.id} id={row.id} /> },
            { key: 'history', label: '操作记录', children: <RecordHistory key={row.id} bizType="ad" bizId={row.id} /> },
          ]}
        />
      )}
    </DetailDrawer>
  )
}

function Details({ row }: { row: AdRow }) {
  const { data, error, refetch } = useRead(ads.get, { id: row.id }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={6} />
  return (
    <>
      <AdNotes ad={data} />
      <AdPreview ad={data} />
      <AdFiles ad={data} />
      <Descriptions row={data} items={ITEMS} />
    </>
  )
}

/** Shows the remark of a rejection, and the banned words that the ad contains. */
export function AdNotes({ ad }: { ad: AdDetail }) {
  return (
    <>
      {ad.auditRemark && <Alert type="error" showIcon className="kit-note" title={`驳回原因：${ad.auditRemark}`} />}
      <BannedWords words={ad.bannedWords} />
    </>
  )
}

/** Files and proofs of an ad. */
export function AdFiles({ ad: { materials, proofs } }: { ad: AdDetail }) {
  const names = Object.fromEntries(proofs.map(({ url, name }) => [url, name]))
  return (
    <>
      <ul className="kit-items kit-note">
        {materials.map((material) => (
          <MaterialLine key={material.fileId} facts={material} />
        ))}
      </ul>
      {proofs.length > 0 && (
        <section>
          <h3 className="kit-heading">证明文件</h3>
          <FileList value={joinAddresses(proofs.map(({ url }) => url))} names={names} />
        </section>
      )}
    </>
  )
}

const COLOR: Readonly<Record<number, string>> = { 0: 'default', 1: 'warning', 2: 'success', 3: 'error' }
const HASH_SHOWN = 12

/** Submitted versions of an ad with their review, newest first. */
function AdVersions({ id }: { id: number }) {
  const { data, error, refetch } = useRead(ads.versions, { id }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={4} />
  if (data.list.length === 0) return <Empty description="还没有提交过审核" />
  return (
    <ul className="kit-items">
      {data.list.map((version) => (
        <Version key={version.verNo} of={version} />
      ))}
    </ul>
  )
}

function Version({ of }: { of: AdVersionRow }) {
  const points = of.checks.map((check) => CHECKLIST[check as CheckPoint]).join('、')
  return (
    <li>
      <div>
        <b>版本 {of.verNo}</b>{' '}
        <State color={COLOR[of.auditStatus]}>{VERSION_STATUS[of.auditStatus as 0 | 1 | 2 | 3]}</State>
        <small title={of.contentHash}>校验值 {of.contentHash.slice(0, HASH_SHOWN)}</small>
      </div>
      <small>
        {of.submitName} 提交于 <Time at={of.submitTime} />
        {of.auditTime && (
          <>
            {' · '}
            {of.auditName} 审核于 <Time at={of.auditTime} />
          </>
        )}
      </small>
      {of.auditRemark && <div>审核意见：{of.auditRemark}</div>}
      {points && <small>审核要点：{points}</small>}
    </li>
  )
}

/** Category of an ad, from the dictionary. */
const CategoryName = ({ value }: { value: number | null }) => <DictTag dict={useDict('ad_category')} value={value} />
