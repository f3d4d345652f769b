import { ConfigProvider } from 'antd'
import zhCN from 'antd/locale/zh_CN'
import type { ReactNode } from 'react'
import { useShade } from '#kernel/shade.ts'
import { themeOf } from './look.ts'

/**
 * What everything drawn with antd stands in: our look, and Chinese. Each page has one of its own (`app/lazy-page.tsx`), and
 * so has each part of the frame that uses antd: the frame itself, and the home page, are there before antd is.
 */
export function AntdRoot({ children }: { children: ReactNode }) {
  return (
    <ConfigProvider locale={zhCN} theme={themeOf(useShade())} button={{ autoInsertSpace: false }}>
      {children}
    </ConfigProvider>
  )
}
