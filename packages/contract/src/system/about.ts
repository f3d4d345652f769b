import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { keptNote, note, rev } from '../core/fields.ts'

const WEBSITE_TEXT = '官方网站应以 http:// 或 https:// 开头'
const isWebsite = (value: string) => value === '' || /^https?:\/\/[^\s/?#]\S*$/i.test(value)

/** Texts of the about page that an administrator may edit. */
export const ContactInput = z.object({
  company: note('公司名称', 100),
  phone: note('联系电话', 50),
  email: note('联系邮箱', 100),
  address: note('联系地址', 200),
  website: note('官方网站', 200).refine(isWebsite, WEBSITE_TEXT),
  intro: note('产品简介', 1000),
})

/** Texts of a change: an absent text keeps the stored text. */
const ContactChange = z.object({
  company: keptNote('公司名称', 100),
  phone: keptNote('联系电话', 50),
  email: keptNote('联系邮箱', 100),
  address: keptNote('联系地址', 200),
  website: keptNote('官方网站', 200).refine((value) => value === undefined || isWebsite(value), WEBSITE_TEXT),
  intro: keptNote('产品简介', 1000),
})

export const Contact = ContactInput.extend({ rev: z.int() })

export const Dependency = z.object({
  name: z.string().meta({ title: '组件' }),
  version: z.string().meta({ title: '版本' }),
  licence: z.string().meta({ title: '许可证' }),
  homepage: z.string().meta({ title: '主页' }),
  /**
   * Scope of a package: `runtime` packages are part of the product; `development` packages build or test the product.
   */
  scope: z.enum(['runtime', 'development']).meta({ title: '用途' }),
})

export const Release = z.object({
  version: z.string().meta({ title: '版本' }),
  date: z.string().meta({ title: '日期' }),
  changes: z.array(z.string()),
})

export const about = {
  /** Version, start time and environment of the running server. */
  facts: {
    method: 'GET',
    path: '/api/v1/sys/about',
    access: 'system:AboutUs:list',
    input: z.object({}),
    result: z.object({
      product: z.string().meta({ title: '产品名称' }),
      version: z.string().meta({ title: '版本' }),
      build: z.string().meta({ title: '构建' }),
      licence: z.string().meta({ title: '许可证' }),
      node: z.string().meta({ title: '运行环境' }),
      platform: z.string().meta({ title: '操作系统' }),
      startTime: z.string().meta({ title: '启动时间' }),
      uptimeSeconds: z.int().meta({ title: '已运行' }),
      database: z.string().meta({ title: '数据库' }),
      databaseKind: z.enum(['embedded', 'external']).meta({ title: '数据库类型' }),
      databaseBytes: z.number().meta({ title: '数据库大小' }),
      schemaVersion: z.string().meta({ title: '数据结构版本' }),
      storage: z.enum(['local', 's3']).meta({ title: '文件存储' }),
      timeZone: z.string().meta({ title: '时区' }),
      releases: z.array(Release),
      contact: Contact,
    }),
  },
  dependencies: {
    method: 'GET',
    path: '/api/v1/sys/about/dependencies',
    access: 'system:AboutUs:list',
    input: z.object({}),
    result: z.object({ list: z.array(Dependency) }),
  },
  update: {
    method: 'PUT',
    path: '/api/v1/sys/about',
    access: 'system:AboutUs:edit',
    title: '修改关于我们',
    allTenants: true,
    input: ContactChange.extend({ rev }),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
} as const satisfies Contract
