import {
  AudioOutlined,
  CodeOutlined,
  FontSizeOutlined,
  GlobalOutlined,
  PictureOutlined,
  FileZipOutlined,
} from '@ant-design/icons'
import { AD_TYPE } from '@oms/contract/advertise/engine/manifest.ts'
import type { AdRow } from '@oms/contract/advertise/ad.ts'
import { AD_TYPES, AUDIT_STATUS, ENABLE_STATUS } from '@oms/contract/advertise/ad-rules.ts'
import { Alert, Form, Tooltip } from 'antd'
import type { ReactNode, ComponentType } from 'react'
import { useFileUrl } from '#core/api/file-url.ts'
import { useDictLabels, DictLabel, DictLabelTag } from '#kit/pickers/dict-words.tsx'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { VideoCard } from '../materials/material-line.tsx'
import '../advertise.css'
import { useDict } from '#kit/pickers/use-dict.ts'
import { State } from '#kit/record/state.tsx'

const STATUS_COLOR: Readonly<Record<number, string>> = { 0: 'default', 1: 'warning', 2: 'success', 3: 'error' }

export const useAdTypes = () => useDictLabels('ad_type', AD_TYPES)
export const useAuditStates = () => useDictLabels('ad_audit_status', AUDIT_STATUS)

export const AdType = ({ type }: { type: number }) => <DictLabel type="ad_type" words={AD_TYPES} value={type} />

export const AuditTag = ({ status }: { status: number }) => (
  <DictLabelTag type="ad_audit_status" words={AUDIT_STATUS} value={status} color={STATUS_COLOR[status]} />
)

/** State of the edited content, and of the version that plays while a newer version is not approved. */
export const AuditCell = ({ row }: { row: AdRow }) => (
  <span className="kit-cell">
    {row.auditRemark === '' ? (
      <AuditTag status={row.auditStatus} />
    ) : (
      <RejectedTag reason={row.auditRemark}>
        <AuditTag status={row.auditStatus} />
      </RejectedTag>
    )}
    {row.auditStatus !== 2 && row.approvedVer > 0 && (
      <small className="kit-muted kit-number">版本 {row.approvedVer} 投放中</small>
    )}
  </span>
)

export const EnableCell = ({ row }: { row: AdRow }) =>
  row.isExpired ? (
    <State>已过期</State>
  ) : (
    <State color={row.enableStat === 1 ? 'success' : 'default'}>{ENABLE_STATUS[row.enableStat === 1 ? 1 : 0]}</State>
  )

const ICONS: Readonly<Record<number, ReactNode>> = {
  3: <AudioOutlined />,
  4: <FontSizeOutlined />,
  5: <GlobalOutlined />,
  6: <CodeOutlined />,
}

/** Shows the thumbnail of an ad. Without a thumbnail, shows a card for a video and the icon of the type for other ads. */
export function AdPicture({
  row: { thumbUrl, adType, adName, codec },
}: {
  row: Pick<AdRow, 'thumbUrl' | 'adType' | 'adName' | 'codec'>
}) {
  const url = useFileUrl(thumbUrl)
  if (url) return <img className="ad-picture" src={url} alt={adName} />
  if (adType === AD_TYPE.video)
    return (
      <span className="ad-picture">
        <VideoCard name={adName} codec={codec} />
      </span>
    )
  return (
    <span className="ad-picture" aria-hidden>
      {ICONS[adType] ?? <PictureOutlined />}
    </span>
  )
}

/** Shows the last valid day in a list. The tooltip has the first day. */
export const AdValidity = ({ row }: { row: Pick<AdRow, 'validFrom' | 'validTo'> }) => (
  <span title={formatValidity(row)} className="kit-number">
    {row.validTo ? `至 ${row.validTo}` : '长期有效'}
  </span>
)

/** Formats first and last valid day: `2026-11-01 至 2026-12-31`. */
export const formatValidity = ({ validFrom, validTo }: Pick<AdRow, 'validFrom' | 'validTo'>) =>
  validFrom || validTo ? `${validFrom ?? '即日'} 至 ${validTo ?? '长期'}` : '长期有效'

/** Number of the programs that use an ad, with a link to them. */
export const ProgramsLink = ({
  row: { id, refCount },
  unit = '',
}: {
  row: Pick<AdRow, 'id' | 'refCount'>
  unit?: string
}) =>
  refCount === 0 ? (
    '-'
  ) : (
    <PermittedLink to={`/advertiseManage/ProgramList?adId=${id}`}>
      {refCount}
      {unit}
    </PermittedLink>
  )

const THUMB_ICONS: Readonly<Record<number, ComponentType>> = {
  1: PictureOutlined,
  3: AudioOutlined,
  4: FontSizeOutlined,
  5: GlobalOutlined,
  6: FileZipOutlined,
}

interface Props {
  readonly ad: { readonly adName: string; readonly adType: number; readonly codec: string; readonly thumbUrl: string }
}

/** Shows the thumbnail of an ad. Without a thumbnail, shows a card for a video and the icon of the type for other ads. */
export function AdThumb({ ad: { adName, adType, codec, thumbUrl: url } }: Props) {
  const Icon = THUMB_ICONS[adType] ?? PictureOutlined
  if (!url && adType === AD_TYPE.video)
    return (
      <span className="ad-picture">
        <VideoCard name={adName} codec={codec} />
      </span>
    )
  return (
    <span className="ad-picture" aria-hidden>
      {url ? <img src={url} alt="" loading="lazy" draggable={false} /> : <Icon />}
    </span>
  )
}

/** Shows the banned words of an ad as a warning; nothing without such words. */
export const BannedWords = ({ words }: { words: readonly string[] }) =>
  words.length > 0 && (
    <Alert type="warning" showIcon className="kit-note" title={`疑似绝对化用语：${words.join('、')}`} />
  )

/** Shows the words of the dictionary `ad_banned_words` that the edited name and text contain. */
export function EditedBannedWords() {
  const { options } = useDict('ad_banned_words')
  const name = Form.useWatch<string | undefined>('adName') ?? ''
  const adType = Form.useWatch<number | undefined>('adType')
  const content = Form.useWatch<string | undefined>(['text', 'content']) ?? ''
  const text = adType === AD_TYPE.text ? `${name}\n${content}` : name
  return <BannedWords words={options.map(({ label }) => label).filter((word) => text.includes(word))} />
}

/** Shows the beginning of the reason below the tag of a rejection. The tooltip with the whole reason also opens on focus and touch. */
export const RejectedTag = ({ reason, children }: { reason: string; children: ReactNode }) => (
  <Tooltip title={`驳回原因：${reason}`} trigger={['hover', 'focus', 'click']}>
    <span {...{ tabIndex: 0 }} className="ad-rejected">
      {children}
      <small>{reason}</small>
    </span>
  </Tooltip>
)
