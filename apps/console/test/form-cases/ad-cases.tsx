import { ads } from '@oms/contract/advertise/ad.ts'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { programOptions } from '@oms/contract/advertise/program-options.ts'
import { programPublish } from '@oms/contract/advertise/program-publish.ts'
import { programs } from '@oms/contract/advertise/program.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { ProgramEditor, toEditorValues } from '#modules/advertise/programs/program-editor.tsx'
import { ProgramAudit } from '#modules/advertise/programs/audit-drawer.tsx'
import { AdAudit } from '#modules/advertise/ads/ad-audit.tsx'
import { AdAddForm, AdEditForm } from '#modules/advertise/ads/ad-form.tsx'
import { CONFLICTS, DRY_RUN } from './program-checks.ts'
import { findRowSchema, buildSample } from './contract-server.ts'
import type { FormCase } from './form-case.ts'

const NO_FILES = { adType: 1, materials: [], proofs: [], bannedWords: [], auditRemark: '', text: null, tags: [] }

const SUBMITTED = {
  ...(buildSample(findRowSchema(ads.versions.result)) as object),
  verNo: 1,
  contentHash: 'a'.repeat(64),
}

const ITEM = {
  itemId: 1,
  adId: 1,
  adName: '海报',
  adType: 1,
  orientation: 0,
  thumbUrl: '',
  codec: '',
  duration: 10,
  weight: 1,
}
const LIMITS = {
  maxPlaysPerHour: 0,
  startDt: null,
  endDt: null,
  transition: 0,
  approvedVer: 1,
  enableStat: 1,
  validTo: null,
}
const RULES = { playMode: 1, targetType: 1, targetIds: [1], weekdays: 127, dayParts: [], priority: 0, insertMode: 0 }
const DATES = { dateFrom: '2030-01-01', dateTo: '2030-01-31', isDefault: 0 }
const PROGRAM = {
  ...(buildSample(programs.get.result) as ResultOf<typeof programs.get>),
  ...RULES,
  ...DATES,
  id: 1,
  programName: '早餐',
  description: '',
  resolution: '',
  shareOfVoice: null,
  items: [{ ...ITEM, ...LIMITS }],
} satisfies ResultOf<typeof programs.get>

/** The manifest of the preview; the sampled zone would be no time zone. */
const MANIFEST = {
  ...(buildSample(programOptions.manifest.result) as ResultOf<typeof programOptions.manifest>),
  zone: 'Asia/Shanghai',
}

const SAMPLE = buildSample(programPublish.review.result) as ResultOf<typeof programPublish.review>
/** A program version that waits for approval. */
const REVIEW = {
  ...SAMPLE,
  version: {
    ...SAMPLE.version,
    verNo: 2,
    state: 1,
    dateFrom: '2026-11-01',
    dateTo: '2026-12-31',
    dayParts: [],
    items: [],
  },
  inForce: null,
  waitingVer: 2,
  status: 2,
}

/** Forms of ads and programs. */
export const AD_CASES: readonly FormCase[] = [
  {
    name: '新增广告',
    file: 'advertise/ads/ad-form.tsx',
    save: ads.create,
    field: 'adName',
    form: (close) => <AdAddForm onClose={close} />,
  },
  {
    name: '编辑广告',
    file: 'advertise/ads/ad-form.tsx',
    save: ads.update,
    field: 'adName',
    record: { read: ads.get, values: NO_FILES },
    form: (close, row) => <AdEditForm row={row as never} onClose={close} />,
  },
  {
    name: '编辑节目单',
    file: 'advertise/programs/program-editor.tsx',
    save: programs.update,
    field: 'programName',
    stays: true,
    reads: [
      [programs.get, PROGRAM],
      [programOptions.manifest, MANIFEST],
    ],
    form: () => (
      <ProgramEditor endpoint={programs.update} id={1} tenantId={1} initial={toEditorValues(PROGRAM)} targets={[]} />
    ),
  },
  {
    name: '审核广告',
    file: 'advertise/ads/ad-audit.tsx',
    save: ads.audit,
    field: 'remark',
    record: { read: ads.get, values: { ...NO_FILES, adType: 4, verNo: 1, approvedVer: 0 }, isShown: false },
    reads: [[ads.versions, { list: [SUBMITTED] }]],
    form: (close, row) => <AdAudit row={row as never} onClose={close} />,
  },
  {
    name: '审批节目单',
    file: 'advertise/programs/audit-drawer.tsx',
    save: programPublish.audit,
    field: 'remark',
    choose: ['auditStatus'],
    reads: [
      [programPublish.review, REVIEW],
      [programs.versions, { list: [], total: 0, pageNum: 1, pageSize: 50 }],
      [programChecks.dryRun, DRY_RUN],
      [programChecks.conflict, CONFLICTS],
    ],
    form: (close) => <ProgramAudit row={{ id: 1, programName: '早间', waitingVer: 2 }} onClose={close} />,
  },
]
