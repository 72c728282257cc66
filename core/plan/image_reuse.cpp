#include "core/plan/image_reuse.h"

#include <algorithm>
#include <optional>

namespace gpupost {

namespace {

// Range of passes that use an image, both ends included. `first` > `last`: no pass uses it.
struct Lifetime {
  int first = 1 << 30, last = -1;
};

// Calls `visit(int& image)` for each image that a pass uses.
template <class Visit>
void visit_images(Pass& pass, Visit visit) {
  visit(pass.source.image);
  if (pass.second.image >= 0) visit(pass.second.image);
  for (int& image : pass.more_sources) visit(image);
  visit(pass.target.image);
  for (int& image : pass.more_targets) visit(image);
}

std::vector<Lifetime> lifetimes_of(Plan& plan, bool keeps_input) {
  std::vector<Lifetime> lives(plan.images.size());
  for (int index = 0; index < int(plan.passes.size()); ++index)
    visit_images(plan.passes[size_t(index)], [&](int image) {
      Lifetime& life = lives[size_t(image)];
      life = {std::min(life.first, index), index};
    });
  const int end = int(plan.passes.size());
  const auto lives_from_the_start = [&](int image) { lives[size_t(image)].first = -1; };
  lives_from_the_start(0);
  for (const PlanSource& source : plan.sources) lives_from_the_start(source.image);
  if (keeps_input) lives[0].last = end;
  for (const PlanSource& source : plan.sources)
    if (keeps_input) lives[size_t(source.image)].last = end;
  lives[size_t(plan.result_image)].last = end;
  return lives;
}

}  // namespace

void share_images(Plan& plan, const PlanInput& input) {
  const std::vector<Lifetime> lives = lifetimes_of(plan, input.keeps_input);
  std::vector<PlanImage> kept;
  std::vector<int> busy_until;           // last pass that uses each remaining image
  std::vector<int> place(lives.size());  // index of each image among the remaining images
  std::vector<size_t> order(lives.size());
  for (size_t index = 0; index < order.size(); ++index) order[index] = index;
  std::ranges::stable_sort(order, {}, [&](size_t image) { return lives[image].first; });
  // Whether the first pass that uses `image` makes it of the source in that place, which no later pass reads.
  const auto is_in_place = [&](size_t image, size_t found) {
    if (lives[image].first < 0 || lives[image].last < 0 || busy_until[found] != lives[image].first) return false;
    const Pass& pass = plan.passes[size_t(lives[image].first)];
    const bool is_free = pass.source.image != 0 || input.gives_input;
    const bool reads_twice =
        pass.second.image == pass.source.image || std::ranges::count(pass.more_sources, pass.source.image) > 0;
    return pass.access.can_be_in_place && is_free && !reads_twice && place[size_t(pass.source.image)] == int(found);
  };
  for (const size_t image : order) {
    size_t found = 0;
    while (found < kept.size() && !(kept[found] == plan.images[image] &&
                                    (busy_until[found] < lives[image].first || is_in_place(image, found))))
      ++found;
    if (found == kept.size()) {
      kept.push_back(plan.images[image]);
      busy_until.push_back(0);
    }
    busy_until[found] = lives[image].last;
    place[image] = int(found);
  }
  for (Pass& pass : plan.passes) visit_images(pass, [&](int& image) { image = place[size_t(image)]; });
  for (PlanSource& source : plan.sources) source.image = place[size_t(source.image)];
  plan.result_image = place[size_t(plan.result_image)];
  plan.images = std::move(kept);
}

}  // namespace gpupost
