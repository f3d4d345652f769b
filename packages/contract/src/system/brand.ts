import * as z from 'zod'
import { computeContrast, MIN_CONTRAST } from '../core/contrast.ts'
import type { Contract } from '../core/endpoint.ts'
import { choice, note, rev } from '../core/fields.ts'

export const DEFAULT_ACCENT = '#155eef'

const ACCENT = /^#[0-9a-f]{6}$/
const CONTRAST_TEXT = '这个颜色太浅，按钮上的白色文字会看不清（对比度低于 4.5），请选深一些的颜色'

/** Returns why a colour cannot be the accent: white text on the accent must be readable. */
export function findAccentProblem(accent: string) {
  if (accent === '') return undefined
  if (!ACCENT.test(accent)) return '主题色应为 # 加 6 位十六进制数，例如 #155eef'
  return computeContrast(accent, '#ffffff') < MIN_CONTRAST ? CONTRAST_TEXT : undefined
}

const WATERMARK = { 1: '显示', 0: '不显示' } as const

const accent = z
  .string('主题色不正确')
  .default('')
  .transform((value) => value.trim().toLowerCase())
  .superRefine((value, context) => {
    const message = findAccentProblem(value)
    if (message) context.addIssue({ code: 'custom', message })
  })
  .meta({ title: '主题色' })

/**
 * Name, pictures and colours of the console. An empty text is the default. A tenant has only the first four fields and
 * the watermark; the others belong to the installation.
 */
export const BrandInput = z.object({
  productName: note('产品名称', 20),
  /** Picture for light backgrounds, with any width and a height of at least 32 pixels. */
  logo: note('标志', 255),
  /** Picture for dark backgrounds; without it the other picture is shown. */
  logoDark: note('深色背景的标志', 255),
  accent,
  favicon: note('浏览器图标', 255),
  loginPicture: note('登录页图片', 255),
  footer: note('页脚', 100),
  /** Registration number that Chinese law requires below the page of a public web site. */
  registration: note('备案号', 60),
  watermark: choice('水印', WATERMARK).default(0).meta({ title: '水印', labels: WATERMARK }),
})

/** Fields that a tenant sets for its own accounts. */
export const TENANT_FIELDS = ['productName', 'logo', 'logoDark', 'accent', 'watermark'] as const

export const brand = {
  /** Brand of the caller's tenant; staff of the platform get the brand of the installation. */
  get: {
    method: 'GET',
    path: '/api/v1/sys/brand',
    access: 'system:brand:list',
    input: z.object({}),
    result: z.object({
      ...BrandInput.shape,
      accent: z.string().meta({ title: '主题色' }),
      rev: z.int(),
      /** Name of the tenant whose brand this is; '' for the installation. */
      tenantName: z.string(),
    }),
  },
  update: {
    method: 'PUT',
    path: '/api/v1/sys/brand',
    access: 'system:brand:edit',
    createsSharedRows: true,
    title: '修改品牌外观',
    input: BrandInput.extend({ rev }),
    result: z.object({ rev: z.int() }),
    done: '保存成功',
  },
  /** A picture of a brand, also without a login. Other files are not sent. */
  image: {
    method: 'GET',
    path: '/api/v1/brand/image/:id',
    access: 'public',
    stream: 'download',
    input: z.object({ id: z.string().regex(/^[0-9a-f]{32}$/, '图片不存在') }),
    result: z.null(),
  },
} as const satisfies Contract
