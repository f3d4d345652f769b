import { type ComponentType, lazy, type ReactNode } from 'react'
import { loadChunk } from '#kernel/load-chunk.ts'

type PropsOf<C> = C extends (props: infer Props) => ReactNode ? Props & object : never

/** Our look for antd, with antd's foundations. */
export const loadAntd = () => loadChunk(() => import('./antd-root.tsx'))

/** A part of the frame that is drawn with antd: `lazyAntd(() => import('./job-drawer.tsx'), 'JobDrawer')`. */
export const lazyAntd = <Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name) =>
  lazy(async () => {
    const [part, { AntdRoot }] = await Promise.all([loadChunk(load), loadAntd()])
    return { default: within(AntdRoot, part[name] as ComponentType<PropsOf<Module[Name]>>) }
  })

/** The component, standing in what antd's components need. */
export function within<Props extends object>(
  Root: ComponentType<{ children: ReactNode }>,
  Part: ComponentType<Props>,
): ComponentType<Props> {
  return function WithAntd(props: Props) {
    return (
      <Root>
        <Part {...props} />
      </Root>
    )
  }
}
