from footfall.study.imitation.captured import CapturedSearch as CapturedSearch
from footfall.study.imitation.captured import FoundWalk as FoundWalk
from footfall.study.imitation.captured import clip_cycle as clip_cycle
from footfall.study.imitation.captured import search_walk as search_walk
