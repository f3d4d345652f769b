import type { SeedType } from './dict-seed.ts'

/** Shipped dictionaries of advertising: categories of ads, and words that the audit points out. */
export const AD_DICTIONARIES: readonly SeedType[] = [
  {
    type: 'ad_category',
    name: '广告类别',
    entries: [
      ['1', '一般商品'],
      ['2', '食品饮料'],
      ['3', '房地产'],
      ['4', '教育培训'],
      ['5', '金融服务'],
      ['6', '文化旅游'],
      ['7', '公益广告', 'success'],
      ['8', '本单位宣传'],
      ['11', '医疗', 'warning'],
      ['12', '药品', 'warning'],
      ['13', '医疗器械', 'warning'],
      ['14', '保健食品', 'warning'],
      ['15', '特殊医学用途配方食品', 'warning'],
      ['16', '农药兽药', 'warning'],
    ],
  },
  {
    type: 'ad_banned_words',
    name: '绝对化用语',
    entries: [
      ['1', '国家级'],
      ['2', '最高级'],
      ['3', '最佳'],
      ['4', '第一'],
      ['5', '首选'],
      ['6', '顶级'],
      ['7', '唯一'],
      ['8', '极品'],
      ['9', '绝无仅有'],
      ['10', '根治'],
      ['11', '无副作用'],
      ['12', '保证收益'],
    ],
  },
]
