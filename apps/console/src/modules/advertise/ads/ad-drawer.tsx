import { AdDetail, type AdRow, ads } from '@oms/contract/advertise/ad.ts'
import { Alert, Tabs, Tag } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { TagList } from '#kit/record/tag-list.tsx'
import { time } from '#kit/record/time.tsx'
import { FileList } from '#kit/upload/file-upload.tsx'
import { joinAddresses } from '#kit/upload/stored-file.ts'
import { AdType, AuditTag, EnableCell, formatValidity, ProgramsLink } from './ad-cells.tsx'
import { AdPreview } from './ad-preview.tsx'
import { AdVersions } from './ad-versions.tsx'
import { BannedWords } from './banned-words.tsx'
import { CategoryName } from './category-name.tsx'
import { MaterialLine } from '../materials/material-line.tsx'

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
